import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { MillraceError } from '../errors/index.ts'

/** Where the build puts the page, beside `dist` and `src` alike. */
const studioFolder = fileURLToPath(new URL('../../studio/', import.meta.url))

/** The folder with Studio; undefined where it was never built, as in a fresh clone. */
export function findStudio(): string | undefined {
  return existsSync(`${studioFolder}index.html`) ? studioFolder : undefined
}

/** The folder with Studio, for those who have asked for it. */
export function requireStudio(): string {
  const folder = findStudio()
  if (folder !== undefined) return folder
  throw new MillraceError(
    'not_found',
    'Studio has not been built. Run `npm run build` in the clone, or leave --studio out.',
  )
}
