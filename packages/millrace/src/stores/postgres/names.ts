import { badRequest, type MillraceError } from '../../errors/index.ts'

const contents = ['heads', 'frames', 'parts', 'commands', 'claims', 'files'] as const
const tables = ['logs', ...contents, 'gone', 'meta'] as const
const writes = ['append', 'open', 'renew', 'submit', 'settle', 'claim', 'put_file'] as const
const functions = [...writes, 'fork', 'trim', 'remove', 'release', 'create_log'] as const

/** A table or function of a store. */
type Part = (typeof tables)[number] | (typeof functions)[number]

/** Names of a store in its database, quoted and with their schema. */
export interface Names extends Readonly<Record<Part, string>> {
  /** Name of the schema, unquoted. */
  readonly schema: string
  readonly quotedSchema: string
  readonly prefix: string
  /** All functions, including those of earlier versions, as a list for a statement. */
  readonly functions: string
  /** Channel of notifications. All schemas of a database share it. */
  readonly channel: string
}

/** Postgres truncates names to 63 bytes; the longest index name adds 16 to the prefix. */
const schemaPattern = /^[a-z_][a-z0-9_]{0,62}$/
const prefixPattern = /^(?:[a-z_][a-z0-9_]{0,31})?$/

/** Checks schema and prefix, and returns the names. */
export function createNames(schema: string, prefix: string): Names {
  if (!schemaPattern.test(schema) || schema.startsWith('pg_'))
    throw badName('schema', 63, 'and not begin with pg_')
  if (!prefixPattern.test(prefix)) throw badName('prefix', 32, 'or is empty')
  const all = [...tables, ...functions]
  const quoted = all.map((part) => [part, `"${schema}"."${prefix}${part}"`] as const)
  const former = [...functions, 'prune']
  return {
    ...(Object.fromEntries(quoted) as Readonly<Record<Part, string>>),
    schema,
    quotedSchema: `"${schema}"`,
    prefix,
    functions: former.map((name) => `"${schema}"."${prefix}${name}"`).join(', '),
    channel: `millrace ${schema}.${prefix}`.slice(0, 63),
  }
}

/** Replaces names in braces with the names of a store. */
export function withNames(sql: string, names: Names): string {
  return sql.replaceAll(/\{(\w+)\}/g, (_, name: keyof Names) => names[name])
}

function badName(option: string, length: number, rest: string): MillraceError {
  return badRequest(
    `The ${option} of a Postgres store must have at most ${length} characters of a to z, 0 to 9 and _, not begin with a digit ${rest}. Choose another ${option}.`,
  )
}

/**
 * Returns the start of a statement with the logs of session `$1` and its ancestors: `number` of each log, and its last shared frame
 * (`upto`), which is null for the session's own log. `id` and `earliest` are those of the session. With `after`, ancestors without shared
 * frames after it are omitted.
 *
 * Tables joined to the logs need a subquery with `OFFSET 0`, which makes Postgres use the index for each log. Otherwise it expects many ancestors and reads whole tables.
 */
export function withChain(names: Names, after = '-1'): string {
  return `WITH RECURSIVE chain (number, parent, base, upto, id, earliest) AS (
    SELECT number, parent, base, NULL::bigint, id, earliest FROM ${names.logs} WHERE session = $1
    UNION ALL
    SELECT p.number, p.parent, p.base, c.base, c.id, c.earliest FROM chain c CROSS JOIN LATERAL
    (SELECT number, parent, base FROM ${names.logs} WHERE number = c.parent AND c.base > ${after} OFFSET 0) p
  )`
}
