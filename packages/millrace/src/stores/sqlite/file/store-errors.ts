import { type ErrorCode, isMillraceError, MillraceError } from '../../../errors/index.ts'

const restore =
  'Stop the server, restore the file from a backup or move it away with its -wal and -shm files, and start again.'

const damaged = `The store is damaged. ${restore}`

/** Messages by SQLite's primary result code, or by the extended one if it is more specific. */
const meanings: Readonly<Record<number, string>> = {
  5: 'Another process has held the store for too long. Try again, and look for a process that keeps a transaction open.',
  8: 'The store is read-only. Check the permissions of its file and folder, and how the disk is mounted.',
  10: 'The disk of the store reports errors. Check the disk and the system’s log.',
  11: damaged,
  13: 'The disk of the store is full. Free some space. Nothing that was acknowledged is lost.',
  14: 'The file of the store cannot be opened. Check that its folder exists and is writable.',
  26: `The file of the store is not an SQLite database. ${restore}`,
  // A read beyond the end of the file.
  522: damaged,
}

/** Creates the error for stored data that differs from the written data. */
export function storeDamaged(cause: string): MillraceError {
  return new MillraceError('store_unavailable', `The store is damaged: ${cause}. ${restore}`)
}

/** Converts an error of SQLite. Returns errors of the library unchanged. */
export function toStoreError(error: unknown): MillraceError {
  if (isMillraceError(error)) return error
  const meaning = meanings[resultCode(error)] ?? meanings[primaryCode(error)]
  const message = meaning ?? 'The store has failed. Try again.'
  return new MillraceError('store_unavailable', message, { cause: error })
}

/** Like {@link toStoreError}, for statements that open a file. They are valid for every undamaged file, so their errors mean damage. */
export function toOpenError(error: unknown): MillraceError {
  const isOfFile = error instanceof Error && primaryCode(error) === 1
  return toStoreError(isOfFile ? storeDamaged(error.message) : error)
}

const refusals: ReadonlySet<ErrorCode> = new Set([
  'bad_request',
  'conflict',
  'cursor_trimmed',
  'lease_lost',
  'log_replaced',
  'not_found',
  'overloaded',
])

/** Whether an error rejects a request before anything was written. */
export function isRefusal(error: unknown): boolean {
  return isMillraceError(error) && refusals.has(error.code)
}

/** Whether an error has its cause in the machine or the library, not in the request. */
export function isOfMachine(error: unknown): boolean {
  return isMillraceError(error) || primaryCode(error) in meanings
}

/** Whether another connection holds the lock. */
export function isBusy(error: unknown): boolean {
  return primaryCode(error) === 5
}

/** Whether the connection remains usable after an error. A file of a newer version may not permit another one to open. */
export function keepsConnection(error: unknown): boolean {
  const isNewer = isMillraceError(error) && error.code === 'unsupported'
  return isNewer || isBusy(error) || primaryCode(error) === 13
}

/** The lowest byte of an extended code is the primary code. */
function primaryCode(error: unknown): number {
  return resultCode(error) & 0xff
}

function resultCode(error: unknown): number {
  const raw = error instanceof Error && 'rawCode' in error ? error.rawCode : undefined
  return typeof raw === 'number' ? raw : 0
}
