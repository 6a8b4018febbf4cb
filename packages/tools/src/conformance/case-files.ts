import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { packageFolder } from '../package-folder.ts'

/** The folders of the protocol cases: in the package, or in the repository. */
const places = ['vectors', '../../spec/vectors']

/** Returns the case files of the protocol, in order. */
export async function protocolFiles(): Promise<string[]> {
  const folder = places.map((place) => join(packageFolder, place)).find((path) => existsSync(path))
  const names = folder === undefined ? [] : await readdir(folder)
  return names
    .filter((name) => name.endsWith('.jsonl'))
    .toSorted()
    .map((name) => join(folder ?? '', name))
}
