import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import { delimiter, isAbsolute, join } from 'node:path'

/** Finds bash where programs are looked for; the system's own shell stands in where there is none. */
export async function findShell(path = ''): Promise<string> {
  for (const folder of path.split(delimiter).filter(isAbsolute)) {
    const candidate = join(folder, 'bash')
    const isThere = await access(candidate, constants.X_OK).then(
      () => true,
      () => false,
    )
    if (isThere) return candidate
  }
  return '/bin/sh'
}
