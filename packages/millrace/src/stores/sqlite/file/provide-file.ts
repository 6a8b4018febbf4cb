import { closeSync, mkdirSync, openSync, type Stats, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { MillraceError } from '../../../errors/index.ts'
import { isBusy, storeDamaged, toStoreError } from './store-errors.ts'
import { openConnection } from './connection.ts'

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

/** Returns the size of a file; 0 if there is none. */
export function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}

function fileRefused(path: string, cause: unknown): MillraceError {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  const remedy = remedies[code] ?? 'Check the path, or choose another one.'
  const message = `The store ${path} cannot be opened for writing (${code || String(cause)}). ${remedy}`
  return new MillraceError('store_unavailable', message, { cause })
}

/**
 * Locks a store against other servers and returns a function that releases it. The lock is an operating system lock on a file beside the
 * store, so it also ends with the process.
 */
export function holdFile(path: string): () => void {
  const lock = `${path}-server`
  provideFile(lock)
  const connection = openConnection(lock, 0)
  try {
    connection.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    connection.close()
    throw isBusy(error) ? alreadyServed(path) : toStoreError(error)
  }
  return () => {
    connection.exec('ROLLBACK')
    connection.close()
  }
}

function alreadyServed(path: string): MillraceError {
  return new MillraceError(
    'conflict',
    `Another server uses ${path}. Stop it first, choose another path, or start both with sqlite:PATH?shared=1, so that each reads the other's writes.`,
  )
}

/** Checks that the files at a store's path are the open ones. */
export type FileIdentity = ReturnType<typeof rememberFile>

/**
 * Remembers the newly opened file of a store, and later SQLite's log beside it. SQLite itself keeps writing to files that were deleted,
 * moved or replaced. A check takes some microseconds.
 */
export function rememberFile(path: string) {
  const file = statSync(path)
  const walPath = `${path}-wal`
  let wal: Stats | undefined
  return {
    /** Throws `store_unavailable` if a later open of the path would not find new writes. */
    check: () => {
      const present = statSync(path, { throwIfNoEntry: false })
      compare('The file of the store', file, present)
      if (present?.size === 0 && file.size > 0) throw unusable('The file of the store was emptied')
      const found = statSync(walPath, { throwIfNoEntry: false })
      // SQLite creates the log with the first write, and removes it only when the last connection closes.
      wal ??= found
      if (wal !== undefined) compare('The -wal file of the store', wal, found)
    },
  }
}

function compare(name: string, known: Stats, found: Stats | undefined): void {
  if (found === undefined) throw unusable(`${name} was deleted or moved`)
  if (found.ino !== known.ino || found.dev !== known.dev)
    throw unusable(`${name} was replaced by another file`)
}

function unusable(what: string): MillraceError {
  return new MillraceError(
    'store_unavailable',
    `${what} while the server runs. Nothing is written, because it would be lost. To continue, move the same file back, with its -wal and -shm files. To use the file that is now at the path, restart the server.`,
  )
}
