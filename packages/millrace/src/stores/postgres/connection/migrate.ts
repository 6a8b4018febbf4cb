import { serverTooOld } from '../../remote/index.ts'
import type { Connection } from './connection.ts'
import { type Names, withNames } from '../names.ts'
import { functionsSql, migrations } from '../sql/migrations.ts'
import { schemaNewer, tablesMissing } from './store-errors.ts'
import { numberAt, type Row, textAt } from '../values.ts'

/** Oldest version of Postgres that can sort within the minutes of an index, as session lists require. */
const OLDEST_SERVER = 13

type Run = (text: string, values?: readonly unknown[]) => Promise<readonly Row[]>

/**
 * Migrates the tables to the newest version in one transaction. Throws for newer versions. If several processes start together, one
 * migrates, under a lock that ends with its transaction: a pooler may then give the connection to another client.
 */
export async function migrate(
  connection: Connection,
  names: Names,
  createTables: boolean,
): Promise<void> {
  await connection.use(async (run) => {
    await checkServer(run)
    const found = await versionOf(run, names)
    if (found === migrations.length) return
    if (found === 0 && !createTables) throw tablesMissing(names.schema)
    await run('BEGIN')
    await run('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [names.channel])
    const version = await versionOf(run, names)
    if (version === 0) await provideSchema(run, names)
    for (const sql of toStatements(names, version)) await run(sql)
    await run('COMMIT')
  })
}

function toStatements(names: Names, version: number): string[] {
  const { length } = migrations
  if (version === length) return []
  const steps = [...migrations.slice(version), functionsSql].map((sql) => withNames(sql, names))
  const stamp =
    version > 0
      ? `UPDATE ${names.meta} SET version = ${length}`
      : `INSERT INTO ${names.meta} VALUES (${length}, gen_random_uuid(), clock_timestamp())`
  return [`DROP FUNCTION IF EXISTS ${names.functions}`, ...steps, stamp]
}

/** Creates the schema if it is missing. An existing schema requires no right to create it. */
async function provideSchema(run: Run, names: Names): Promise<void> {
  const [found = []] = await run(
    'SELECT EXISTS (SELECT FROM pg_catalog.pg_namespace WHERE nspname = $1)',
    [names.schema],
  )
  if (found[0] !== true) await run(`CREATE SCHEMA ${names.quotedSchema}`)
}

async function versionOf(run: Run, names: Names): Promise<number> {
  // Reads the catalogue, because to_regclass may have cached before the lock that the table was missing.
  const [found = []] = await run(
    `SELECT EXISTS (SELECT FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = $1 AND c.relname = $2)`,
    [names.schema, `${names.prefix}meta`],
  )
  if (found[0] !== true) return 0
  const [meta = []] = await run(`SELECT version FROM ${names.meta}`)
  const version = numberAt(meta, 0)
  if (version > migrations.length) throw schemaNewer(names.schema, version, migrations.length)
  return version
}

async function checkServer(run: Run): Promise<void> {
  const [number = []] = await run(`SELECT current_setting('server_version_num')::int`)
  if (numberAt(number, 0) >= OLDEST_SERVER * 10_000) return
  const [version = []] = await run(`SELECT current_setting('server_version')`)
  throw serverTooOld('Postgres', textAt(version, 0) ?? '', OLDEST_SERVER)
}
