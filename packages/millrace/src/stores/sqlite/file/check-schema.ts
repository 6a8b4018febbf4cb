import { textAt } from './columns.ts'
import { type Connection, openConnection } from './connection.ts'
import { applyMigrations } from './migrate.ts'
import { migrations } from './schema.ts'
import { storeDamaged } from './store-errors.ts'

let own: readonly string[] | undefined

/**
 * Checks that the tables of a file are those that were made in it. One wrong byte can leave a schema that SQLite takes,
 * in which statements fail or mean something else, and names that are no UTF-8, at which libsql ends the process.
 */
export function checkSchema(connection: Connection): void {
  own ??= readOwn()
  const found = new Set(readSchema(connection))
  // Others may have added something, such as statistics.
  if (!own.every((part) => found.has(part)))
    throw storeDamaged('its tables are not those that were made')
}

/** What the migrations make. */
function readOwn(): readonly string[] {
  const connection = openConnection(':memory:', 0)
  try {
    applyMigrations(connection, migrations)
    return readSchema(connection)
  } finally {
    connection.close()
  }
}

/** As hexadecimal digits, which any bytes can be written in. */
function readSchema(connection: Connection): readonly string[] {
  const parts = `SELECT group_concat(hex(type || ' ' || name || ' ' || tbl_name || ' ' || coalesce(sql, '')))
    FROM sqlite_schema`
  return textAt(connection.prepare(parts).get() ?? [], 0).split(',')
}
