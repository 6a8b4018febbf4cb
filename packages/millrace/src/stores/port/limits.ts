import { badRequest, MillraceError } from '../../errors/index.ts'

/** Maximum size of a head in bytes of UTF-8. */
export const MAX_HEAD_BYTES = 4_096

/** Maximum number of pending commands of a session. */
export const MAX_PENDING = 256

/** Maximum number of ancestors of a branch. */
export const MAX_ANCESTORS = 1_000

/** Maximum length of the owner of a session. */
export const MAX_OWNER_CHARS = 200

/** Name prefix of collections that a session does not share with its branches. */
export const OWN_COLLECTION = 'own:'

const MAX_KEY_CHARS = 512
const encoder = new TextEncoder()

/** Throws if a head is too long. Every request reads the head, so its size is limited. */
export function checkHead(head: string | undefined): void {
  if (head === undefined || head.length <= MAX_HEAD_BYTES / 3) return
  const { length } = encoder.encode(head)
  if (length <= MAX_HEAD_BYTES) return
  throw new MillraceError(
    'internal',
    `The head of a session has ${length} bytes; the maximum is ${MAX_HEAD_BYTES}. Nothing was stored. Keep growing data in parts.`,
  )
}

/** Throws `bad_request` for a command key that is empty or too long. */
export function checkKey(key: string): void {
  if (key !== '' && key.length <= MAX_KEY_CHARS) return
  throw badRequest(
    `A command key must have 1 to ${MAX_KEY_CHARS} characters; this one has ${key.length}.`,
  )
}

/** Excludes control characters and lone surrogates, which some databases cannot store. */
const ownerPattern = /^[^\p{Cc}\p{Cs}]+$/u

/** Throws `bad_request` for an owner that some stores cannot store. */
export function checkOwner(owner: string | null | undefined): void {
  if (owner === null || owner === undefined) return
  if (owner.length <= MAX_OWNER_CHARS && ownerPattern.test(owner)) return
  throw badRequest(
    `The owner of a session must have 1 to ${MAX_OWNER_CHARS} characters, without control characters and lone surrogates; this one has ${owner.length}. Use another id of the owner, such as a hash.`,
  )
}

/** Creates the `overloaded` error of a session whose inbox is full. */
export function inboxFull(session: string): MillraceError {
  return new MillraceError(
    'overloaded',
    `Session ${session} has ${MAX_PENDING} pending commands, which is the maximum. Try again later.`,
  )
}
