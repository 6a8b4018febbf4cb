import { closeSync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { MillraceError } from '../../../errors/index.ts'
import { storeDamaged } from './store-errors.ts'

/** Only its owner may look into a store: it holds conversations. */
const folderMode = 0o700
const fileMode = 0o600

const remedies: Readonly<Record<string, string>> = {
  EACCES: 'This user may not write there; change the permissions, or choose another path.',
  EEXIST: 'A part of the path is a file and no folder; choose another path.',
  EISDIR: 'That is a folder; name a file in it.',
  ENOSPC: 'The disk is full; make room, or choose another path.',
  ENOTDIR: 'A part of the path is a file and no folder; choose another path.',
  EPERM: 'This user may not write there; change the permissions, or choose another path.',
  EROFS: 'That disk may only be read; choose another path.',
}

/** Makes the file of a store and its folder if they are missing, and checks that it may be written to. */
export function provideFile(path: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: folderMode })
    // SQLite gives the files beside this one the same permissions.
    closeSync(openSync(path, 'a', fileMode))
  } catch (cause) {
    throw fileRefused(path, cause)
  }
  // SQLite would take it for a new one, and remove the log in which the newest messages may be.
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
