import { MillraceError } from '../../../errors/index.ts'
import { numberAt } from './columns.ts'
import { type Connection, openConnection } from './connection.ts'
import { closeSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs'
import { provideFile, sizeOf } from './provide-file.ts'

const applicationId = 0x4d_4c_52_43

/** Converts the previous version of the schema, inside a transaction. */
export type Migration = string | ((connection: Connection) => void)

/**
 * Migrates a file to the newest schema version in one transaction, after copying the older file. Throws for files of other programs or of
 * newer versions.
 */
export function migrate(
  connection: Connection,
  path: string,
  migrations: readonly Migration[],
  maxBackupBytes = MAX_BACKUP_BYTES,
): void {
  if (versionOf(connection, path, migrations.length) === migrations.length) return
  connection.exec('BEGIN IMMEDIATE')
  try {
    // Another process may have migrated the file while this one waited for the lock.
    const version = versionOf(connection, path, migrations.length)
    if (version > 0 && version < migrations.length) backUpFile(path, version, maxBackupBytes)
    applyMigrations(connection, migrations.slice(version))
    connection.exec(`PRAGMA application_id = ${applicationId}`)
    connection.exec(`PRAGMA user_version = ${migrations.length}`)
    connection.exec('COMMIT')
  } catch (error) {
    connection.exec('ROLLBACK')
    throw error
  }
}

/** Applies migrations in order. */
export function applyMigrations(connection: Connection, migrations: readonly Migration[]): void {
  for (const migration of migrations) {
    if (typeof migration === 'string') connection.exec(migration)
    else migration(connection)
  }
}

function versionOf(connection: Connection, path: string, newest: number): number {
  const version = ask(connection, 'PRAGMA user_version')
  const isOurs = ask(connection, 'PRAGMA application_id') === applicationId
  const isEmpty = ask(connection, 'SELECT count(*) FROM sqlite_schema') === 0
  if (!isOurs && !isEmpty) {
    throw new MillraceError(
      'unsupported',
      `${path} is a database of another program. Nothing was changed. Choose another path for the store.`,
    )
  }
  checkVersion(path, version, newest)
  return isOurs ? version : 0
}

/** Throws `unsupported` for a file with a newer schema. */
export function checkVersion(path: string, version: number, newest: number): void {
  if (version <= newest) return
  throw new MillraceError(
    'unsupported',
    `${path} was written by a newer version of Millrace (schema ${version}; this version supports up to ${newest}). Nothing was changed. Update Millrace, or choose another path for the store.`,
  )
}

function ask(connection: Connection, sql: string): number {
  return numberAt(connection.prepare(sql).get() ?? [], 0)
}

/** Maximum size of a file that is copied without being requested. Larger copies take minutes and may fill the disk. */
const MAX_BACKUP_BYTES = 2 * 1024 ** 3

/**
 * Copies the file of a store to `FILE.vN.bak`, in place of an earlier copy. The caller holds the write lock, so the copy equals the file
 * that it then changes. For a file that is too large, throws unless the copy already exists.
 */
function backUpFile(path: string, version: number, maxBytes: number): void {
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

function backupMissing(path: string, version: number, bytes: number): MillraceError {
  const backup = `${path}.v${version}.bak`
  return new MillraceError(
    'unsupported',
    `${path} has an older version (schema ${version}) and ${bytes} bytes, too many to back up automatically before the conversion. Nothing was changed. Stop every server that uses it and run: sqlite3 '${path}' "VACUUM INTO '${backup}'". To skip the backup, create an empty file ${backup}. Then start again.`,
  )
}
