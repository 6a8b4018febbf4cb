import { MillraceError } from '../../../errors/index.ts'
import { textAt } from './columns.ts'
import { type Connection, openConnection, type Statements } from './connection.ts'
import { applyMigrations, migrate } from './migrate.ts'
import { provideFile } from './provide-file.ts'
import { migrations } from './schema.ts'
import { createFindShared, type FindShared } from '../log/shared-logs.ts'
import { readTexts } from './statements.ts'
import { storeDamaged, toOpenError } from './store-errors.ts'

/** The read connection. Statements run synchronously and cannot change the file. */
export interface Reader {
  readonly statements: Statements<typeof readTexts>
  /** Finds fork points, and caches them. */
  readonly findShared: FindShared
  /** Reads from one state of the file, unaffected by commits during the read. */
  snapshot<T>(read: () => T): T
  close(): void
}

/** Creates or migrates the file of a store, and opens it for reading. */
export function openReader(path: string, busyTimeoutMs: number): Reader {
  provideFile(path)
  try {
    const connection = openConnection(path, busyTimeoutMs)
    prepareFile(connection, path)
    return toReader(connection)
  } catch (error) {
    const converted = toOpenError(error)
    throw converted.message.includes(path)
      ? converted
      : new MillraceError(converted.code, `${path}: ${converted.message}`, { cause: error })
  }
}

function prepareFile(connection: Connection, path: string): void {
  migrate(connection, path, migrations)
  checkSchema(connection)
  const mode = connection.prepare('PRAGMA journal_mode = WAL').get()
  if (mode === undefined || textAt(mode, 0) !== 'wal') {
    throw new MillraceError(
      'unsupported',
      `The disk of ${path} does not support memory shared between processes, which a store needs. Choose a path on a local disk.`,
    )
  }
  connection.exec('PRAGMA query_only = ON')
}

/** Ends a snapshot. Nothing was written, so there is nothing to commit. */
function rollBack({ rollback }: Statements<typeof readTexts>): void {
  try {
    rollback.run()
  } catch {
    // SQLite has already rolled back after an error, which the caller receives.
  }
}

function toReader(connection: Connection): Reader {
  const prepared = Object.entries(readTexts).map(([name, sql]) => [name, connection.prepare(sql)])
  const statements = Object.fromEntries(prepared) as Statements<typeof readTexts>
  return {
    statements,
    findShared: createFindShared(statements),
    snapshot: (read) => {
      statements.begin.run()
      try {
        return read()
      } finally {
        rollBack(statements)
      }
    },
    close: () => connection.close(),
  }
}

let own: readonly string[] | undefined

/**
 * Checks that a file has the tables that the migrations create. One wrong byte can leave a schema that SQLite accepts, with statements that
 * fail or change their meaning, and names that are not UTF-8, at which libsql ends the process.
 */
function checkSchema(connection: Connection): void {
  own ??= readOwn()
  const found = new Set(readSchema(connection))
  // Other programs may have added tables, such as statistics.
  if (!own.every((part) => found.has(part)))
    throw storeDamaged('its tables differ from the expected ones')
}

function readOwn(): readonly string[] {
  const connection = openConnection(':memory:', 0)
  try {
    applyMigrations(connection, migrations)
    return readSchema(connection)
  } finally {
    connection.close()
  }
}

/** Encoded as hexadecimal digits, which can represent any bytes. */
function readSchema(connection: Connection): readonly string[] {
  const parts = `SELECT group_concat(hex(type || ' ' || name || ' ' || tbl_name || ' ' || coalesce(sql, '')))
    FROM sqlite_schema`
  return textAt(connection.prepare(parts).get() ?? [], 0).split(',')
}
