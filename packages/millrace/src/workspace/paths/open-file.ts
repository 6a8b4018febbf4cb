import { constants, type Stats } from 'node:fs'
import { type FileHandle, lstat } from 'node:fs/promises'
import { badRequest } from '../../errors/index.ts'
import { explainFailures } from './explain-failures.ts'
import { openInside } from './open-inside.ts'
import { type ResolvedPath, resolvePath } from './resolve-path.ts'
import type { Root } from './root.ts'

/** A regular file of the workspace, open for reading. */
export interface OpenFile extends ResolvedPath {
  readonly handle: FileHandle
  readonly stats: Stats
}

const kinds: readonly [(stats: Stats) => boolean, string][] = [
  [(stats) => stats.isDirectory(), 'a folder; use list_dir to list it'],
  [(stats) => stats.isFIFO(), 'a pipe, which is not read or written here'],
  [(stats) => stats.isSocket(), 'a socket, which is not read or written here'],
  [(stats) => stats.isCharacterDevice(), 'a device, which is not read or written here'],
  [(stats) => stats.isBlockDevice(), 'a device, which is not read or written here'],
]

/** Opens the file at a model's path, and closes it after `use`. */
export async function withFile<Result>(
  root: Root,
  path: string,
  use: (file: OpenFile) => Promise<Result>,
): Promise<Result> {
  return withFileAt(root, await resolvePath(root, path), use)
}

/** Opens a file at a resolved location. */
export function withFileAt<Result>(
  root: Root,
  place: ResolvedPath,
  use: (file: OpenFile) => Promise<Result>,
): Promise<Result> {
  return explainFailures(place.shown, async () => {
    // Opening a device may have an effect, so the type is checked first.
    checkRegular(await lstat(place.path), place.shown)
    const handle = await openInside(root, place.path, constants.O_RDONLY)
    try {
      const stats = await handle.stat()
      checkRegular(stats, place.shown)
      return await use({ ...place, handle, stats })
    } finally {
      await handle.close()
    }
  })
}

/** Throws `bad_request` unless it is a regular file. */
export function checkRegular(stats: Stats, shown: string): void {
  if (stats.isFile()) return
  const kind = kinds.find(([test]) => test(stats))?.[1] ?? 'not a regular file'
  throw badRequest(`"${shown}" is ${kind}.`)
}
