import { constants, type Dirent, type Stats } from 'node:fs'
import { type FileHandle, open, readlink, realpath, stat, opendir, lstat } from 'node:fs/promises'
import { MillraceError, badRequest } from '../../errors/index.ts'
import type { Root } from './root.ts'
import { refuseServerFile } from './server-files.ts'
import { join } from 'node:path'
import { explainFailures } from './explain-failures.ts'
import { type ResolvedPath, resolvePath } from './resolve-path.ts'

/** Returns the system's path of an open file. It stays valid if the original path changes. */
function descriptorPath(handle: FileHandle): string {
  return `/proc/self/fd/${handle.fd}`
}

/**
 * Opens a path without links and does not follow a link at its end. Verifies that the opened file is inside the root:
 * a parent folder may have been replaced by a link.
 */
async function openInside(root: Root, path: string, flags: number): Promise<FileHandle> {
  // O_NONBLOCK: a pipe that replaced the file must not block until its other end opens.
  const handle = await open(path, flags | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    const actual = root.usesDescriptors
      ? await readlink(descriptorPath(handle))
      : await pathOf(handle, path)
    if (actual !== undefined && root.contains(actual)) {
      refuseServerFile(actual, root.show(actual))
      return handle
    }
    throw new MillraceError(
      'forbidden',
      'The file was moved out of the workspace in the meantime; list the folder again.',
    )
  } catch (error) {
    await handle.close()
    throw error
  }
}

/** Returns the current path of the opened file, if the path still refers to it. */
async function pathOf(handle: FileHandle, path: string): Promise<string | undefined> {
  const actual = await realpath(path)
  const [opened, named] = await Promise.all([handle.stat(), stat(actual)])
  return opened.ino === named.ino && opened.dev === named.dev ? actual : undefined
}

/** An open folder. Names in it resolve correctly even if its path changes. */
export type Folder = Awaited<ReturnType<typeof openFolder>>

/** The entries of a folder. */
export interface FolderContent {
  /** Sorted by name. */
  readonly entries: readonly Dirent[]
  /** Whether there are more entries than were read. */
  readonly isCut: boolean
}

/** Opens a folder by a path without links; `via` is the path through an open parent folder. */
export async function openFolder(root: Root, path: string, via = path) {
  const handle = await openInside(root, via, constants.O_RDONLY | constants.O_DIRECTORY)
  const base = root.usesDescriptors ? descriptorPath(handle) : path
  return { path, at: (name: string): string => join(base, name), close: () => handle.close() }
}

/** Reads at most `maxEntries` entries of a folder. */
export async function readFolder(
  root: Root,
  path: string,
  maxEntries: number,
): Promise<FolderContent> {
  const folder = await openFolder(root, path)
  try {
    const entries: Dirent[] = []
    for await (const entry of await opendir(folder.at('.'))) {
      if (entries.length === maxEntries) return { entries: entries.sort(byName), isCut: true }
      entries.push(entry)
    }
    return { entries: entries.sort(byName), isCut: false }
  } finally {
    await folder.close()
  }
}

function byName(a: Dirent, b: Dirent): number {
  return a.name < b.name ? -1 : Number(a.name > b.name)
}

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

/** Opens a file of the workspace for a function, and closes it afterwards. */
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
