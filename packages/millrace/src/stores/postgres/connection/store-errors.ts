import { isMillraceError, MillraceError } from '../../../errors/index.ts'

const away =
  'The store of the sessions, Postgres, does not answer. What was being written may be stored or not; the same again is stored once. Try again in a moment.'

/** The tables are gone, or are those of somebody else. */
const replaced =
  'The tables of the store are not those that this server began with: the database was emptied, restored or replaced, and nothing is written, because it would be mixed with other data. Bring the data back, and it is used again. To use what is there now, restart the server.'

/** What went wrong and what to do, by the SQLSTATE of Postgres or the code of the network. */
const meanings: Readonly<Record<string, string>> = {
  '25006':
    'Postgres takes no writes: it is a standby, or read-only by its settings. Give the address of the primary.',
  '28000': 'Postgres refuses the user, or connections from here. Check the user and pg_hba.conf.',
  '28P01': 'Postgres refuses the user or the password. Check both.',
  '3D000': 'There is no database of this name. Create it, or check the address.',
  '42501':
    'The user lacks rights in the database. It needs CREATE on the database when the schema is made, later USAGE on the schema, and SELECT, INSERT, UPDATE and DELETE on its tables.',
  '42P01': replaced,
  '42883': replaced,
  '3F000': replaced,
  '53100': 'The disk under Postgres is full. Make room; nothing that was acknowledged is lost.',
  '53300':
    'Postgres has as many connections as it may. Raise max_connections, lower maxConnections, or put a pooler before it.',
  '58030': 'The disk under Postgres fails. Check the disk and the log of Postgres.',
  XX001: 'The data of Postgres is damaged. Check its log, and restore it from a backup.',
  XX002: 'An index of Postgres is damaged. Check its log, and rebuild the index.',
  ENOTFOUND: 'The host of Postgres is not known. Check the address.',
  ECONNREFUSED: `Nothing takes connections at the address of Postgres. ${away}`,
}

/** Classes and codes that pass by themselves: connections end, a server starts or stops, a standby takes over, locks cross. */
const passing = /^(?:08...|57P0[1-5]|53300|40001|40P01|25006|E[A-Z_]+)$/

/** The code of an error of Postgres or the network. */
function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : undefined
}

/** Tells whether it helps to send a statement again: the connection was lost, or Postgres is not ready yet. */
export function isPassing(error: unknown): boolean {
  if (isMillraceError(error) || isMissingPassword(error)) return false
  const code = codeOf(error)
  return code === undefined || passing.test(code)
}

/** Tells whether an error is about the values of a statement, and would not come without them. */
export function isOfValues(error: unknown): boolean {
  return /^(?:2[1-3]...|54...)$/.test((error instanceof Error && codeOf(error.cause)) || '')
}

/** Tells what Postgres or its driver has failed with; what is an error of the library already is left alone. */
export function toStoreError(error: unknown): MillraceError {
  if (isMillraceError(error)) return error
  const code = isMissingPassword(error) ? '28P01' : (codeOf(error) ?? '')
  const isRefused = /^[0-9A-Z]{5}$/.test(code) && !passing.test(code)
  const unknown = isRefused ? `Postgres has refused a statement of the store (${code}).` : away
  return new MillraceError('store_unavailable', meanings[code] ?? unknown, { cause: error })
}

/** The driver says so itself when a password is asked for and there is none. */
function isMissingPassword(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('SASL:')
}

/** Says that connections are gone, for those who watch over the store. */
export function connectionLost(cause: unknown): MillraceError {
  return new MillraceError(
    'store_unavailable',
    'A connection to the store of the sessions, Postgres, is lost or cannot be made. It is tried again until it is back; check that Postgres runs and can be reached.',
    { cause },
  )
}

/** Says that Postgres has other data than this process began with. */
export function storeReplaced(): MillraceError {
  return new MillraceError('store_unavailable', replaced)
}

/** Says that a newer version of the library has changed the tables. */
export function schemaNewer(schema: string, version: number, known: number): MillraceError {
  return new MillraceError(
    'unsupported',
    `The tables in schema ${schema} were made by a newer version of Millrace (version ${version}, this one knows ${known}); nothing was changed. Update Millrace, or choose another schema.`,
  )
}

/** Says that no server has used a schema. */
export function tablesMissing(schema: string): MillraceError {
  return new MillraceError(
    'not_found',
    `There are no tables of Millrace in schema ${schema}: no server has run with this address. Check the database, and the parameter \`schema\` of the address.`,
  )
}

/** Says that Postgres lacks something that the store needs. */
export function serverTooOld(version: string, oldest: number): MillraceError {
  return new MillraceError(
    'unsupported',
    `The store needs Postgres ${oldest} or later, and this is ${version}. Update Postgres.`,
  )
}

/** Says that a file is larger than the store takes. */
export function fileTooLarge(bytes: number, maxFileBytes: number): MillraceError {
  return new MillraceError(
    'payload_too_large',
    `The file has ${bytes} bytes, and the store takes ${maxFileBytes} at most. Send a smaller one, or raise maxFileBytes.`,
    { details: { maxFileBytes } },
  )
}
