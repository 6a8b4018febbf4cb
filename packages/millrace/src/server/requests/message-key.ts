import { MillraceError } from '../../errors/index.ts'
import type { MessageKey } from '../commands/receipts.ts'

const encoder = new TextEncoder()

/** The form of a key that a client may choose. [CMD-2] */
export const messageIdPattern = /^[\x21-\x7e]{1,200}$/

/** What a key must be, in words. */
export const messageIdRule = 'must be 1 to 200 visible ASCII characters, without spaces'

/** The header of a request that may have a key. */
export const keyHeader = {
  'Idempotency-Key': 'A key by which the request is known when it is sent again, as `message_id`.',
}

/** The SHA-256 of a JSON value, as lower-case hex. */
export async function digestOf(value: unknown): Promise<string> {
  const text = JSON.stringify(value)
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', encoder.encode(text)))
  return Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/**
 * The key of a request, which a client gives as `message_id` or `Idempotency-Key`, with the digest of the content that it stands
 * for; undefined if the request has none. [CMD-2]
 */
export async function readMessageKey(
  { headers }: Request,
  { message_id: sent, ...content }: SentContent,
): Promise<MessageKey | undefined> {
  const given = headers.get('idempotency-key') ?? sent
  if (given === undefined) return undefined
  if (!messageIdPattern.test(given))
    throw new MillraceError('bad_request', `\`Idempotency-Key\` ${messageIdRule}.`)
  if (sent !== undefined && sent !== given)
    throw new MillraceError(
      'bad_request',
      '`message_id` and `Idempotency-Key` differ; send one of them, or the same in both.',
    )
  return { key: toClientKey(given), digest: await digestOf(content), messageId: given }
}

/** The content of a request, and its key. */
interface SentContent {
  readonly message_id?: string | undefined
  readonly [field: string]: unknown
}

/** A key that a client has chosen, as an inbox has it: no other command can have the same. */
export function toClientKey(messageId: string): string {
  return `client:${messageId}`
}

/** The key of a request to which a client of another protocol has given an id. */
export async function toRequestKey(protocol: string, requestId: string): Promise<string> {
  return `${protocol}:${await digestOf(requestId)}`
}

/** The id of a message of another protocol, if it can be named in frames. */
export function toMessageId(id: unknown): Pick<MessageKey, 'messageId'> {
  return typeof id === 'string' && messageIdPattern.test(id) ? { messageId: id } : {}
}
