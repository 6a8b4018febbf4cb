import { MillraceError } from '../../errors/index.ts'

const contents = ['heads', 'frames', 'parts', 'commands', 'claims', 'files'] as const
const tables = ['logs', ...contents, 'gone', 'meta'] as const
const writes = ['append', 'open', 'renew', 'submit', 'settle', 'claim', 'put_file'] as const
const functions = [...writes, 'fork', 'trim', 'remove', 'release', 'create_log'] as const

/** The tables and functions of a store. */
type Part = (typeof tables)[number] | (typeof functions)[number]

/** The names that a store has in its database, quoted and with their schema. */
export interface Names extends Readonly<Record<Part, string>> {
  /** The name of the schema as it is, and quoted. */
  readonly schema: string
  readonly quotedSchema: string
  readonly prefix: string
  /** All functions, also those of earlier versions, for a list in a statement. */
  readonly functions: string
  /** The channel of notifications, which all schemas of a database share. */
  readonly channel: string
}

/** Postgres cuts names after 63 bytes; the longest index name has 16 after the prefix. */
const schemaPattern = /^[a-z_][a-z0-9_]{0,62}$/
const prefixPattern = /^(?:[a-z_][a-z0-9_]{0,31})?$/

/** Checks schema and prefix, and makes the names from them. */
export function createNames(schema: string, prefix: string): Names {
  if (!schemaPattern.test(schema) || schema.startsWith('pg_'))
    throw badName('schema', 63, 'and does not begin with pg_')
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

/** Puts the names of a store in the place of those in braces. */
export function withNames(sql: string, names: Names): string {
  return sql.replaceAll(/\{(\w+)\}/g, (_, name: keyof Names) => names[name])
}

function badName(option: string, length: number, rest: string): MillraceError {
  return new MillraceError(
    'bad_request',
    `The ${option} of a store in Postgres has at most ${length} of a to z, 0 to 9 and _, does not begin with a digit ${rest}.`,
  )
}
