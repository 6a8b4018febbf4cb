import { isMillraceError, MillraceError } from '../../../errors/index.ts'

const away =
  'Postgres, the store of the sessions, does not answer. Pending writes may or may not be stored; a repeated write is stored once. Try again later.'

/** The tables are missing, or belong to another store. */
const replaced =
  'The tables of the store have changed since the start of this server: the database was emptied, restored or replaced. Nothing is written, because it would be mixed with other data. Restore the data to continue. To use the present data, restart the server.'

const unresolved = 'The host name of Postgres cannot be resolved. Check the address.'

/** Messages by SQLSTATE of Postgres or error code of the network. */
const meanings: Readonly<Record<string, string>> = {
  '25006':
    'Postgres accepts no writes: it is a standby, or read-only by its settings. Use the address of the primary.',
  '28000':
    'Postgres refuses the user, or connections from this host. Check the user and pg_hba.conf.',
  '28P01': 'Postgres refuses the user or the password. Check both.',
  '3D000': 'The database does not exist. Create it, or check the address.',
  '42501':
    'The user lacks rights in the database. It needs CREATE on the database to create the schema; afterwards USAGE on the schema, and SELECT, INSERT, UPDATE and DELETE on its tables.',
  '42P01': replaced,
  '42883': replaced,
  '3F000': replaced,
  '53100': 'The disk of Postgres is full. Free some space. Nothing that was acknowledged is lost.',
  '53300':
    'Postgres has reached its maximum number of connections. Raise max_connections, lower maxConnections, or use a pooler.',
  '58030': 'The disk of Postgres reports errors. Check the disk and the log of Postgres.',
  XX001: 'The data of Postgres is damaged. Check its log, and restore it from a backup.',
  XX002: 'An index of Postgres is damaged. Check its log, and rebuild the index.',
  ENOTFOUND: unresolved,
  EAI_AGAIN: unresolved,
  ECONNREFUSED: `No server accepts connections at the address of Postgres. ${away}`,
}

/** Classes and codes of temporary errors: connection failures, server starts and stops, failovers, deadlocks. */
const passing = /^(?:08...|57P0[1-5]|53300|40001|40P01|25006|E[A-Z_]+)$/

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : undefined
}

/** Whether the reason of an error is known, with its remedy. */
export function isExplained(error: unknown): boolean {
  return (codeOf(error) ?? '') in meanings
}

/** Whether to repeat a statement: the connection failed, or Postgres is not ready. */
export function isPassing(error: unknown): boolean {
  if (isMillraceError(error) || isMissingPassword(error)) return false
  const code = codeOf(error)
  return code === undefined || passing.test(code)
}

/** Whether an error has its cause in the values of a statement. */
export function isOfValues(error: unknown): boolean {
  return /^(?:2[1-3]...|54...)$/.test((error instanceof Error && codeOf(error.cause)) || '')
}

/** Converts an error of Postgres or its driver. Returns errors of the library unchanged. */
export function toStoreError(error: unknown): MillraceError {
  if (isMillraceError(error)) return error
  const code = isMissingPassword(error) ? '28P01' : (codeOf(error) ?? '')
  const isRefused = /^[0-9A-Z]{5}$/.test(code) && !passing.test(code)
  const unknown = isRefused
    ? `Postgres has refused a statement of the store (${code}). Check its log.`
    : away
  return new MillraceError('store_unavailable', meanings[code] ?? unknown, { cause: error })
}

/** Whether the driver has no password to send. It has no code for this error. */
function isMissingPassword(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('SASL:')
}

/** Creates the error for other data than at the start of this process. */
export function storeReplaced(): MillraceError {
  return new MillraceError('store_unavailable', replaced)
}

/** Creates the error for tables of a newer version. */
export function schemaNewer(schema: string, version: number, known: number): MillraceError {
  return new MillraceError(
    'unsupported',
    `The tables in schema ${schema} were created by a newer version of Millrace (version ${version}; this version supports up to ${known}). Nothing was changed. Update Millrace, or choose another schema.`,
  )
}

/** Creates the error for a schema without tables of Millrace. */
export function tablesMissing(schema: string): MillraceError {
  return new MillraceError(
    'not_found',
    `Schema ${schema} has no tables of Millrace: no server has run with this address. Check the database, and the parameter \`schema\` of the address.`,
  )
}
