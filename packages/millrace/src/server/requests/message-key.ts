import { badRequest } from '../../errors/index.ts'
import type { Caller } from '../access/caller.ts'
import type { MessageKey } from '../commands/receipts.ts'
import { requestSchemas } from './decode-body.ts'
import { messageIdPattern, messageIdRule } from './message-id.ts'

const encoder = new TextEncoder()

/** The header of requests with a key. */
export const keyHeader = {
  'Idempotency-Key': 'A key that identifies repeated requests, like `message_id`.',
}

/** Returns the SHA-256 of a JSON value, in lower-case hex. */
export function digestOf(value: unknown): Promise<string> {
  return digestBytes(encoder.encode(JSON.stringify(value)))
}

/** Returns the SHA-256 of bytes, in lower-case hex. */
export async function digestBytes(bytes: Uint8Array): Promise<string> {
  // No content of a request is in shared memory, which `digest` does not take.
  const given = bytes as Uint8Array<ArrayBuffer>
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', given))
  return Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Reads the key of a command, from `message_id` or `Idempotency-Key`, with the digest of its content; undefined if it has none. [CMD-2] */
export async function readMessageKey(
  { key }: Pick<Caller, 'key'>,
  { message_id: sent, ...content }: SentContent,
): Promise<MessageKey | undefined> {
  const given = key ?? sent
  if (given === undefined) return undefined
  if (!messageIdPattern.test(given)) throw badRequest(`\`Idempotency-Key\` ${messageIdRule}.`)
  if (sent !== undefined && sent !== given)
    throw badRequest(
      '`message_id` and `Idempotency-Key` differ; send one of them, or the same in both.',
    )
  return { key: toClientKey(given), digest: await digestOf(content), messageId: given }
}

/** Reads the key of a command that may create its session; throws `bad_request` for a key without a session, in which it is valid. [CMD-2] */
export async function readSessionKey(
  caller: Pick<Caller, 'key'>,
  content: SentContent,
): Promise<MessageKey | undefined> {
  const key = await readMessageKey(caller, content)
  if (key === undefined || content['agent_uuid'] !== undefined) return key
  throw badRequest(
    'A key is valid within its session; send `agent_uuid` with it, a new UUID for a new session.',
  )
}

/** The content of a request, and its key. */
interface SentContent {
  readonly message_id?: string | undefined
  readonly [field: string]: unknown
}

/** Converts a client's key to an inbox key, distinct from those of other commands. */
export function toClientKey(messageId: string): string {
  return `client:${messageId}`
}

/** Creates the key of a request with an id from another protocol. */
export async function toRequestKey(protocol: string, requestId: string): Promise<string> {
  return `${protocol}:${await digestOf(requestId)}`
}

/** Returns the id of a message of another protocol, if it is valid in frames. */
export function toMessageId(id: unknown): Pick<MessageKey, 'messageId'> {
  return typeof id === 'string' && messageIdPattern.test(id) ? { messageId: id } : {}
}

/**
 * Derives a session id from a name that clients choose. A UUID is used as it is. Any other name is hashed with its scope, so that the same
 * name in two scopes is two sessions, on every server the same. The scope of a thread is its owner, that of a branch is its parent.
 */
export async function deriveSession(
  kind: string,
  scope: () => string | null | Promise<string | null>,
  name: string,
): Promise<string> {
  const { success, data } = (await requestSchemas()).sessionId.safeParse(name)
  if (success) return data
  const text = JSON.stringify([kind, await scope(), name])
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', encoder.encode(text)))
  // UUID version 8 is for custom formats.
  hash[6] = ((hash[6] ?? 0) & 0x0f) | 0x80
  hash[8] = ((hash[8] ?? 0) & 0x3f) | 0x80
  const digits = Array.from(hash.subarray(0, 16), (byte) => byte.toString(16).padStart(2, '0'))
  return digits.join('').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
