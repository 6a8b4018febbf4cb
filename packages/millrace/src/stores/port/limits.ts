import { MillraceError } from '../../errors/index.ts'

/** No head is longer, in bytes of UTF-8. */
export const MAX_HEAD_BYTES = 4_096

/** So many commands of a session may be pending. */
export const MAX_PENDING = 256

/** No branch has more ancestors. */
export const MAX_ANCESTORS = 1_000

/** No owner of a session is longer. */
export const MAX_OWNER_CHARS = 200

/** Collections whose names begin with this belong to one session: its branches do not share them. */
export const OWN_COLLECTION = 'own:'

const MAX_KEY_CHARS = 512
const encoder = new TextEncoder()

/** Refuses a head that is too long: it is read with every request, so its size has a bound. */
export function checkHead(head: string | undefined): void {
  if (head === undefined || head.length <= MAX_HEAD_BYTES / 3) return
  const { length } = encoder.encode(head)
  if (length <= MAX_HEAD_BYTES) return
  throw new MillraceError(
    'internal',
    `The head of a session takes ${length} bytes, more than ${MAX_HEAD_BYTES}; nothing was stored. Keep what grows in parts.`,
  )
}

/** Refuses a command whose key cannot be stored. */
export function checkKey(key: string): void {
  if (key !== '' && key.length <= MAX_KEY_CHARS) return
  throw new MillraceError(
    'bad_request',
    `The key of a command has 1 to ${MAX_KEY_CHARS} characters, not ${key.length}.`,
  )
}

/** Control characters and lone surrogates are left out: not every database can store them. */
const ownerPattern = /^[^\p{Cc}\p{Cs}]+$/u

/** Refuses an owner that cannot be stored. */
export function checkOwner(owner: string | null | undefined): void {
  if (owner === null || owner === undefined) return
  if (owner.length <= MAX_OWNER_CHARS && ownerPattern.test(owner)) return
  throw new MillraceError(
    'bad_request',
    `The owner of a session has 1 to ${MAX_OWNER_CHARS} characters, none of them a control character or half of a surrogate pair; this one has ${owner.length}. Use another id for it, such as a hash.`,
  )
}

/** Says that a session takes no more commands for now. */
export function inboxFull(session: string): MillraceError {
  return new MillraceError(
    'overloaded',
    `Session ${session} has ${MAX_PENDING} pending commands, which is all it may; try again in a moment.`,
  )
}
