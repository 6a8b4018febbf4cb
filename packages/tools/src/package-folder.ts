import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The folder of this package, which holds `package.json`, `studio`, `template` and `vectors`; above `src` and `dist` alike. */
export const packageFolder = findFolder(new URL('./', import.meta.url))

function findFolder(place: URL): string {
  if (existsSync(new URL('package.json', place))) return fileURLToPath(place)
  return findFolder(new URL('../', place))
}
