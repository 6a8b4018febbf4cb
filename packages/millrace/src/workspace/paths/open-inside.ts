import { constants } from 'node:fs'
import { type FileHandle, open, readlink, realpath, stat } from 'node:fs/promises'
import { MillraceError } from '../../errors/index.ts'
import type { Root } from './root.ts'
import { refuseServerFile } from './server-files.ts'

/** Where the system names an open file, whatever has become of the path that led to it. */
export function descriptorPath(handle: FileHandle): string {
  return `/proc/self/fd/${handle.fd}`
}

/**
 * Opens a path whose links are resolved, never through a link at its end, and makes sure that what was opened
 * lies inside: a folder on the way may have become a link since.
 */
export async function openInside(root: Root, path: string, flags: number): Promise<FileHandle> {
  // A pipe that took the file's place must not make us wait for its other end.
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
      'What the path names has been moved out of the workspace meanwhile; look again.',
    )
  } catch (error) {
    await handle.close()
    throw error
  }
}

/** Where the opened file is now, if the path still leads to it. */
async function pathOf(handle: FileHandle, path: string): Promise<string | undefined> {
  const actual = await realpath(path)
  const [opened, named] = await Promise.all([handle.stat(), stat(actual)])
  return opened.ino === named.ino && opened.dev === named.dev ? actual : undefined
}
