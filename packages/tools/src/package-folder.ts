import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The folder of this package: a parent of `src` and `dist` with `package.json`, `template` and `vectors`. */
export const packageFolder = findFolder(new URL('./', import.meta.url))

function findFolder(place: URL): string {
  if (existsSync(new URL('package.json', place))) return fileURLToPath(place)
  return findFolder(new URL('../', place))
}
