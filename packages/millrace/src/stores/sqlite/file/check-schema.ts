import { textAt } from './columns.ts'
import { type Connection, openConnection } from './connection.ts'
import { applyMigrations } from './migrate.ts'
import { migrations } from './schema.ts'
import { storeDamaged } from './store-errors.ts'

let own: readonly string[] | undefined

/**
 * Checks that a file has the tables that the migrations create. One wrong byte can leave a schema that SQLite accepts, with statements that
 * fail or change their meaning, and names that are not UTF-8, at which libsql ends the process.
 */
export function checkSchema(connection: Connection): void {
  own ??= readOwn()
  const found = new Set(readSchema(connection))
  // Other programs may have added tables, such as statistics.
  if (!own.every((part) => found.has(part)))
    throw storeDamaged('its tables differ from the expected ones')
}

/** Returns the schema that the migrations create. */
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
