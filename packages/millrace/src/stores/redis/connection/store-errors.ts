import { MillraceError } from '../../../errors/index.ts'
import { replyCode } from './redis-failure.ts'

const away =
  'The store of the sessions, Redis, does not answer or refuses to. What was being written may be stored or not; the same again is stored once. Try again in a moment.'

/** The problem and its remedy, by the first word of an error of Redis or the code of the network. */
const meanings: Readonly<Record<string, string>> = {
  WRONGPASS: 'Redis refuses the user or the password. Check both.',
  NOAUTH:
    'Redis asks for a password, and the address has none. Give it as redis://:PASSWORD@HOST:PORT.',
  NOPERM:
    'The user lacks rights in Redis. It needs the commands of the store on all keys and channels that begin with its prefix; ACL LOG of Redis names the refused one.',
  OOM: 'Redis has used all of its memory (maxmemory) and takes no writes. Make room; nothing that was acknowledged is lost.',
  MISCONF: 'Redis takes no writes because it cannot save to its disk. Check its disk and its log.',
  READONLY: 'Redis takes no writes: it is a replica. Give the address of the master.',
  ENOTFOUND: 'The host of Redis is not known. Check the address.',
  ECONNREFUSED: `Nothing takes connections at the address of Redis. ${away}`,
}

/** Says that Redis could not be asked, or that nobody knows whether it did what was asked. */
export function storeUnavailable(cause: unknown): MillraceError {
  return new MillraceError('store_unavailable', meanings[wordOf(cause)] ?? away, { cause })
}

/** The word that an error is known by. An error of a cluster has that of its last node in it. */
function wordOf(error: unknown): string {
  const { lastNodeError, code } = Object(error) as {
    readonly lastNodeError?: unknown
    readonly code?: unknown
  }
  if (lastNodeError !== undefined) return wordOf(lastNodeError)
  return replyCode(error) ?? String(code)
}

/** Says that Redis is older than the commands of the store. */
export function serverTooOld(version: string, oldest: number): MillraceError {
  return new MillraceError(
    'unsupported',
    `The store needs Redis ${oldest} or later, and this is ${version}. Update Redis.`,
  )
}

/** Says that a newer version of Millrace has written to Redis. */
export function layoutNewer(version: number, known: number): MillraceError {
  return new MillraceError(
    'unsupported',
    `The sessions in Redis were stored by a newer version of Millrace (layout ${version}, this one knows ${known}); nothing was changed. Update Millrace, or choose another prefix.`,
  )
}

/** Says that a connection is gone, for those who watch over the store. */
export function connectionLost(cause: unknown): MillraceError {
  return new MillraceError(
    'store_unavailable',
    'A connection to the store of the sessions, Redis, is lost or cannot be made. It is tried again until it is back; check that Redis runs and can be reached.',
    { cause },
  )
}

/** Says that Redis has come back with less than it had. */
export function logTruncated(session: string, tail: number): MillraceError {
  return new MillraceError(
    'log_truncated',
    `The store has lost what was written to session ${session} after message ${tail}. What is left can be read up to there; nothing is added to it, so that no id is given twice. Go on in a new session.`,
    { details: { tail } },
  )
}

/** Says that Redis has other data than this process began with. */
export function storeReplaced(): MillraceError {
  return new MillraceError(
    'store_unavailable',
    'Redis was emptied, or another one answers at its address; nothing is written, because it would be mixed with other data. Bring the data back, and it is used again. To use what is there now, restart the server.',
  )
}

/** Says that Redis cannot write to its disk. */
export function persistenceFails(): MillraceError {
  return new MillraceError(
    'store_unavailable',
    'Redis cannot save to its disk (see INFO persistence); what is written may be lost when it restarts. Check its disk and its log.',
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
