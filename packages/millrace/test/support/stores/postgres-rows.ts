import type { PostgresServer } from './postgres-server.ts'

/** Counts the rows of all tables of a schema that have any. */
export async function countRows(
  postgres: PostgresServer,
  schema: string,
): Promise<Readonly<Record<string, number>>> {
  const tables = await postgres.query('SELECT tablename FROM pg_tables WHERE schemaname = $1', [
    schema,
  ])
  const counts: Record<string, number> = {}
  for (const [table] of tables) {
    const [[rows] = []] = await postgres.query(
      `SELECT count(*) FROM "${schema}"."${String(table)}"`,
    )
    if (rows !== '0') counts[String(table)] = Number(rows)
  }
  return counts
}
