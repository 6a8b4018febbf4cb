import { MillraceError } from '../../../errors/index.ts'

/** Temporary errors of Redis: it loads its data, a replica takes over, slots move. */
const passing: ReadonlySet<string> = new Set([
  'BUSY',
  'CLUSTERDOWN',
  'LOADING',
  'MASTERDOWN',
  'READONLY',
  'TRYAGAIN',
])

/** Returns the first word of an error reply of Redis. */
export function replyCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || error.name !== 'ReplyError') return undefined
  return error.message.split(' ', 1)[0]
}

/** Whether to repeat a command: the connection failed, or Redis is not ready. */
export function isPassing(error: unknown): boolean {
  const code = replyCode(error)
  return code === undefined || passing.has(code)
}

const away =
  'Redis, the store of the sessions, does not answer or refuses commands. Pending writes may or may not be stored; a repeated write is stored once. Try again later.'

const unresolved = 'The host name of Redis cannot be resolved. Check the address.'

/** Messages by the first word of an error of Redis or the error code of the network. */
const meanings: Readonly<Record<string, string>> = {
  WRONGPASS: 'Redis refuses the user or the password. Check both.',
  NOAUTH:
    'Redis requires a password, and the address has none. Set it as redis://:PASSWORD@HOST:PORT.',
  NOPERM:
    'The user lacks rights in Redis. It needs the commands of the store on all keys and channels with its prefix; ACL LOG of Redis names the refused one.',
  OOM: 'Redis has used all of its memory (maxmemory) and accepts no writes. Free some memory. Nothing that was acknowledged is lost.',
  MISCONF:
    'Redis accepts no writes because it cannot save to its disk. Check its disk and its log.',
  READONLY: 'Redis accepts no writes: it is a replica. Use the address of the master.',
  ENOTFOUND: unresolved,
  EAI_AGAIN: unresolved,
  ECONNREFUSED: `No server accepts connections at the address of Redis. ${away}`,
}

/** Creates the error for a failed call, or one with unknown outcome. */
export function storeUnavailable(cause: unknown): MillraceError {
  return new MillraceError('store_unavailable', meanings[wordOf(cause)] ?? away, { cause })
}

/** Whether the reason of an error is known, with its remedy. */
export function isExplained(error: unknown): boolean {
  return wordOf(error) in meanings
}

/** Returns the code of an error. An error of a cluster contains that of its last node. */
function wordOf(error: unknown): string {
  const { lastNodeError, code } = Object(error) as {
    readonly lastNodeError?: unknown
    readonly code?: unknown
  }
  if (lastNodeError !== undefined) return wordOf(lastNodeError)
  return replyCode(error) ?? String(code)
}

/** Creates the error for sessions of a newer version. */
export function layoutNewer(version: number, known: number): MillraceError {
  return new MillraceError(
    'unsupported',
    `The sessions in Redis were stored by a newer version of Millrace (layout ${version}; this version supports up to ${known}). Nothing was changed. Update Millrace, or choose another prefix.`,
  )
}

/** Creates the error for a log that has lost frames. */
export function logTruncated(session: string, tail: number): MillraceError {
  return new MillraceError(
    'log_truncated',
    `The store has lost data of session ${session} after frame ${tail}. The frames up to it can be read. The session is read-only, so that no id is reused. Continue in a new session.`,
    { details: { tail } },
  )
}

/** Creates the error for other data than at the start of this process. */
export function storeReplaced(): MillraceError {
  return new MillraceError(
    'store_unavailable',
    'Redis was emptied, or another Redis answers at its address. Nothing is written, because it would be mixed with other data. Restore the data to continue. To use the present data, restart the server.',
  )
}

/** Creates the error for a Redis that cannot save its data. */
export function persistenceFails(): MillraceError {
  return new MillraceError(
    'store_unavailable',
    'Redis cannot save to its disk (see INFO persistence); new writes may be lost when it restarts. Check its disk and its log.',
  )
}
