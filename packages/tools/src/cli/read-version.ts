import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { packageFolder } from '../package-folder.ts'

/** Reads the version of this package, which is also that of the library. */
export async function readVersion(): Promise<string> {
  const { version } = JSON.parse(await readFile(join(packageFolder, 'package.json'), 'utf8')) as {
    version: string
  }
  return version
}
