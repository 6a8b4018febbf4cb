import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { MillraceError } from 'millrace'
import { packageFolder } from '../package-folder.ts'

const studioFolder = join(packageFolder, 'studio')

/** Returns the folder of Studio; undefined if it was never built, as in a fresh clone. */
export function findStudio(): string | undefined {
  return existsSync(join(studioFolder, 'index.html')) ? studioFolder : undefined
}

/** Returns the folder of Studio; throws if it was never built. */
export function requireStudio(): string {
  const folder = findStudio()
  if (folder !== undefined) return folder
  throw new MillraceError(
    'not_found',
    'Studio has not been built. Run `npm run build` in the clone, or leave --studio out.',
  )
}
