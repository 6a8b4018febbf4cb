import { MillraceError } from '../../../errors/index.ts'
import { checkSchema } from './check-schema.ts'
import { textAt } from './columns.ts'
import { type Connection, openConnection, type Statements } from './connection.ts'
import { migrate } from './migrate.ts'
import { provideFile } from './provide-file.ts'
import { migrations } from './schema.ts'
import { createFindShared, type FindShared } from '../log/shared-logs.ts'
import { readTexts } from './statements.ts'
import { toOpenError } from './store-errors.ts'

/** The connection that reads: statements answer at once, and nothing it does can change the file. */
export interface Reader {
  readonly statements: Statements<typeof readTexts>
  /** Finds fork points, and remembers them. */
  readonly findShared: FindShared
  /** Reads from one state of the file, whatever is committed meanwhile. */
  snapshot<T>(read: () => T): T
  close(): void
}

/** Provides the file of a store in its newest form, and opens it for reading. */
export function openReader(path: string, busyTimeoutMs: number): Reader {
  provideFile(path)
  try {
    const connection = openConnection(path, busyTimeoutMs)
    prepareFile(connection, path)
    return toReader(connection)
  } catch (error) {
    const told = toOpenError(error)
    throw told.message.includes(path)
      ? told
      : new MillraceError(told.code, `${path}: ${told.message}`, { cause: error })
  }
}

function prepareFile(connection: Connection, path: string): void {
  migrate(connection, path, migrations)
  checkSchema(connection)
  const mode = connection.prepare('PRAGMA journal_mode = WAL').get()
  if (mode === undefined || textAt(mode, 0) !== 'wal') {
    throw new MillraceError(
      'unsupported',
      `The disk of ${path} cannot share memory between processes, which a store needs. Choose a path on a local disk.`,
    )
  }
  connection.exec('PRAGMA query_only = ON')
}

/** Ends a snapshot: nothing was written, so there is nothing to commit. */
function rollBack({ rollback }: Statements<typeof readTexts>): void {
  try {
    rollback.run()
  } catch {
    // SQLite has done it by itself, after an error that the reader is told of.
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
