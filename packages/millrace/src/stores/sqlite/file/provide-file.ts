import { closeSync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { MillraceError } from '../../../errors/index.ts'
import { storeDamaged } from './store-errors.ts'

/** Only the owner may read a store, because it holds conversations. */
const folderMode = 0o700
const fileMode = 0o600

const remedies: Readonly<Record<string, string>> = {
  EACCES: 'This user may not write there. Change the permissions, or choose another path.',
  EEXIST: 'A part of the path is a file, not a folder. Choose another path.',
  EISDIR: 'The path is a folder. Name a file in it.',
  ENOSPC: 'The disk is full. Free some space, or choose another path.',
  ENOTDIR: 'A part of the path is a file, not a folder. Choose another path.',
  EPERM: 'This user may not write there. Change the permissions, or choose another path.',
  EROFS: 'The disk is read-only. Choose another path.',
}

/** Creates the file of a store and its folder if they are missing, and checks that the file is writable. */
export function provideFile(path: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: folderMode })
    // SQLite creates the files beside this one with the same permissions.
    closeSync(openSync(path, 'a', fileMode))
  } catch (cause) {
    throw fileRefused(path, cause)
  }
  // SQLite would treat the file as new and remove the log, which may hold the newest frames.
  if (sizeOf(path) === 0 && sizeOf(`${path}-wal`) > 0) {
    throw storeDamaged(`${path} is empty, but its -wal file is not`)
  }
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}

function fileRefused(path: string, cause: unknown): MillraceError {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  const remedy = remedies[code] ?? 'Check the path, or choose another one.'
  const message = `The store ${path} cannot be opened for writing (${code || String(cause)}). ${remedy}`
  return new MillraceError('store_unavailable', message, { cause })
}
