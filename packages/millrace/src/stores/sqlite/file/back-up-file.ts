import { closeSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs'
import { MillraceError } from '../../../errors/index.ts'
import { openConnection } from './connection.ts'
import { provideFile } from './provide-file.ts'

/** A larger file is not copied without being asked, because that may fill the disk and takes minutes. */
export const MAX_BACKUP_BYTES = 2 * 1024 ** 3

/**
 * Copies the file of a store to `FILE.vN.bak`, in place of an earlier copy of that name. The caller holds the lock for
 * writing, so that the copy is what the caller then changes. A file that is too large is left alone if something has
 * that name already, and refused otherwise.
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
    // SQLite would let others read it.
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
    `${path} is of an older version (schema ${version}) and takes ${bytes} bytes, too many to be backed up by itself before it is converted; nothing was changed. Stop every server that uses it and run: sqlite3 '${path}' "VACUUM INTO '${backup}'". To do without a backup, make an empty file ${backup}. Then start again.`,
  )
}
