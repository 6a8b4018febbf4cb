import { closeSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs'
import { MillraceError } from '../../../errors/index.ts'
import { openConnection } from './connection.ts'
import { provideFile } from './provide-file.ts'

/** Maximum size of a file that is copied without being requested. Larger copies take minutes and may fill the disk. */
export const MAX_BACKUP_BYTES = 2 * 1024 ** 3

/**
 * Copies the file of a store to `FILE.vN.bak`, in place of an earlier copy. The caller holds the write lock, so the copy equals the file
 * that it then changes. For a file that is too large, throws unless the copy already exists.
 */
export function backUpFile(path: string, version: number, maxBytes: number): void {
  const backup = `${path}.v${version}.bak`
  const bytes = sizeOf(path) + sizeOf(`${path}-wal`)
  if (bytes > maxBytes) {
    if (statSync(backup, { throwIfNoEntry: false }) === undefined)
      throw backupMissing(path, version, bytes)
    return
  }
  const partial = `${backup}.partial`
  rmSync(partial, { force: true })
  try {
    // With SQLite's permissions, other users could read it.
    provideFile(partial)
    copyInto(path, partial)
    renameSync(partial, backup)
  } finally {
    rmSync(partial, { force: true })
  }
}

function copyInto(path: string, target: string): void {
  const connection = openConnection(path, 0)
  try {
    connection.exec(`VACUUM INTO '${target.replaceAll("'", "''")}'`)
  } finally {
    connection.close()
  }
  const file = openSync(target, 'r+')
  fsyncSync(file)
  closeSync(file)
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}

function backupMissing(path: string, version: number, bytes: number): MillraceError {
  const backup = `${path}.v${version}.bak`
  return new MillraceError(
    'unsupported',
    `${path} has an older version (schema ${version}) and ${bytes} bytes, too many to back up automatically before the conversion. Nothing was changed. Stop every server that uses it and run: sqlite3 '${path}' "VACUUM INTO '${backup}'". To skip the backup, create an empty file ${backup}. Then start again.`,
  )
}
