import { type ErrorCode, isMillraceError, MillraceError } from '../../../errors/index.ts'

const restore =
  'Stop the server, restore the file from a backup or move it away with its -wal and -shm files, and start again.'

const damaged = `The store is damaged. ${restore}`

/** What went wrong and what to do, by the primary result code of SQLite, or the extended one where that says more. */
const meanings: Readonly<Record<number, string>> = {
  5: 'Another process has held the store for too long. Try again, and look for a process that keeps a transaction open.',
  8: 'The store may only be read. Check the permissions of its file and folder, and how the disk is mounted.',
  10: 'The disk under the store fails. Check the disk and the system’s log.',
  11: damaged,
  13: 'The disk under the store is full. Make room; nothing that was acknowledged is lost.',
  14: 'The file of the store cannot be opened. Check that its folder is there and may be written to.',
  26: `The file of the store is no SQLite database. ${restore}`,
  // A read beyond the end of the file.
  522: damaged,
}

/** Tells that what is stored is not what was written. */
export function storeDamaged(cause: string): MillraceError {
  return new MillraceError('store_unavailable', `The store is damaged: ${cause}. ${restore}`)
}

/** Tells what SQLite has failed with; what is an error of the library already is left alone. */
export function toStoreError(error: unknown): MillraceError {
  if (isMillraceError(error)) return error
  const meaning = meanings[resultCode(error)] ?? meanings[primaryCode(error)]
  const message = meaning ?? 'The store has failed. Try again.'
  return new MillraceError('store_unavailable', message, { cause: error })
}

/** Like {@link toStoreError}; what is run to open a file is right for every file that is whole. */
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

/** Tells whether an error refuses what was asked for, with nothing written. */
export function isRefusal(error: unknown): boolean {
  return isMillraceError(error) && refusals.has(error.code)
}

/** Tells whether it is the state of the machine that an error tells of, and not what was asked for. */
export function isOfMachine(error: unknown): boolean {
  return isMillraceError(error) || primaryCode(error) in meanings
}

/** Tells whether another connection holds the lock. */
export function isBusy(error: unknown): boolean {
  return primaryCode(error) === 5
}

/** Tells whether an error says nothing against the connection that it came from. */
export function isPassing(error: unknown): boolean {
  return isBusy(error) || primaryCode(error) === 13
}

/** Extended codes have the primary one in their lowest byte. */
function primaryCode(error: unknown): number {
  return resultCode(error) & 0xff
}

function resultCode(error: unknown): number {
  const raw = error instanceof Error && 'rawCode' in error ? error.rawCode : undefined
  return typeof raw === 'number' ? raw : 0
}
