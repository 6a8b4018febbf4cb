import { createRequire } from 'node:module'
import type Database from 'libsql'
import type AsyncDatabase from 'libsql/promise'
import { loadPeer } from '../../../errors/index.ts'

const require = createRequire(import.meta.url)

/** Loads the driver, an optional dependency; synchronously, because a store is created so. */
function loadDriver() {
  return loadPeer('libsql', 'The SQLite store', () => ({
    Database: require('libsql') as typeof Database,
    AsyncDatabase: require('libsql/promise') as typeof AsyncDatabase,
  }))
}

/** What a column may hold. There is no boolean: libsql ends the process when it is given one. */
export type Value = string | number | Uint8Array | null

/** The columns of a row, in the order of the statement. */
export type Row = readonly Value[]

/** A prepared statement. */
export interface Statement {
  run(...values: readonly Value[]): void
  /** The first row. */
  get(...values: readonly Value[]): Row | undefined
}

/** Statements by name, of a table of SQL texts. */
export type Statements<Texts> = { readonly [Name in keyof Texts]: Statement }

/** A connection that answers at once, and blocks the process while it does. */
export interface Connection {
  exec(sql: string): void
  prepare(sql: string): Statement
  /** SQLite lets go of the file when the statements are collected as garbage; libsql has no way to finalise one. */
  close(): void
}

/** A connection whose `exec` runs on a thread of libsql, while single statements still answer at once. */
export interface AsyncConnection {
  exec(sql: string): Promise<void>
  prepare(sql: string): Promise<Statement>
  close(): void
}

interface NativeStatement {
  readonly reader: boolean
  raw(): unknown
  run(values: readonly Value[]): unknown
  get(values: readonly Value[]): unknown
}

/** Opens a file for work that blocks; a lock is waited for so long. */
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

/** Opens a file for work that must not block; a lock that is taken is an error at once. */
export function openAsyncConnection(path: string): AsyncConnection {
  const database = new (loadDriver().AsyncDatabase)(path, {})
  return {
    exec: async (sql) => void (await database.exec(sql)),
    prepare: async (sql) => toStatement((await database.prepare(sql)) as NativeStatement),
    close: () => database.close(),
  }
}

function toStatement(first: NativeStatement, prepare?: () => NativeStatement): Statement {
  let statement: NativeStatement | undefined = first
  const use = (): NativeStatement => {
    statement ??= prepare?.() ?? first
    // Rows as arrays: the other form gives bytes of another type, and a time with each row.
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
        // libsql does not reset a statement whose `get` has failed, and it would fail ever after.
        statement = undefined
        throw error
      }
    },
  }
}
