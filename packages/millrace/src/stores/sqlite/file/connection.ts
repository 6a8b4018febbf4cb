import { createRequire } from 'node:module'
import type Database from 'libsql'
import type AsyncDatabase from 'libsql/promise'
import { loadPeer } from '../../../errors/index.ts'

const require = createRequire(import.meta.url)

/** Loads the driver, an optional dependency. Synchronous, because store creation is. */
function loadDriver() {
  return loadPeer('libsql', 'The SQLite store', () => ({
    Database: require('libsql') as typeof Database,
    AsyncDatabase: require('libsql/promise') as typeof AsyncDatabase,
  }))
}

/** A value of a column. There are no booleans: passing one to libsql ends the process. */
type Value = string | number | Uint8Array | null

/** Columns of a row, in the order of the statement. */
export type Row = readonly Value[]

/** A prepared statement. */
export interface Statement {
  run(...values: readonly Value[]): void
  get(...values: readonly Value[]): Row | undefined
}

/** Statements by name, for a table of SQL texts. */
export type Statements<Texts> = { readonly [Name in keyof Texts]: Statement }

/** A synchronous connection. It blocks the process while it works. */
export interface Connection {
  exec(sql: string): void
  prepare(sql: string): Statement
  /** Closes the connection. SQLite releases the file when the statements are garbage collected; libsql cannot finalise them. */
  close(): void
}

/** A connection whose `exec` runs on a thread of libsql. Single statements run synchronously. */
export type AsyncConnection = ReturnType<typeof openAsyncConnection>

interface NativeStatement {
  readonly reader: boolean
  raw(): unknown
  run(values: readonly Value[]): unknown
  get(values: readonly Value[]): unknown
}

/** Opens a file for blocking work, with a maximum wait for a lock. */
export function openConnection(path: string, busyTimeoutMs: number): Connection {
  const database = new (loadDriver().Database)(path, { timeout: busyTimeoutMs })
  return {
    exec: (sql) => void database.exec(sql),
    prepare: (sql) => {
      const prepare = (): NativeStatement => database.prepare(sql)
      return toStatement(prepare(), prepare)
    },
    close: () => void database.close(),
  }
}

/** Opens a file for non-blocking work. A lock of another connection is an error. */
export function openAsyncConnection(path: string) {
  const database = new (loadDriver().AsyncDatabase)(path, {})
  return {
    exec: async (sql: string) => void (await database.exec(sql)),
    prepare: async (sql: string): Promise<Statement> =>
      toStatement((await database.prepare(sql)) as NativeStatement),
    close: () => database.close(),
  }
}

function toStatement(first: NativeStatement, prepare?: () => NativeStatement): Statement {
  let statement: NativeStatement | undefined = first
  const use = (): NativeStatement => {
    statement ??= prepare?.() ?? first
    // Rows as arrays. Row objects would have another type for bytes, and a time with each row.
    if (statement.reader) statement.raw()
    return statement
  }
  use()
  return {
    run: (...values) => void statement?.run(values),
    get: (...values) => {
      const used = statement ?? use()
      try {
        return used.get(values) as Row | undefined
      } catch (error) {
        // libsql does not reset a statement whose `get` has failed: every later call would fail.
        statement = undefined
        throw error
      }
    },
  }
}
