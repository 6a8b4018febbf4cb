import { constants } from 'node:fs'
import { type FileHandle, open, readlink, realpath, stat } from 'node:fs/promises'
import { MillraceError } from '../../errors/index.ts'
import type { Root } from './root.ts'
import { refuseServerFile } from './server-files.ts'

/** Returns the system's path of an open file. It stays valid if the original path changes. */
export function descriptorPath(handle: FileHandle): string {
  return `/proc/self/fd/${handle.fd}`
}

/**
 * Opens a path without links and does not follow a link at its end. Verifies that the opened file is inside the root:
 * a parent folder may have been replaced by a link.
 */
export async function openInside(root: Root, path: string, flags: number): Promise<FileHandle> {
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
