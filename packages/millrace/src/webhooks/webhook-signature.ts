import { badRequest, MillraceError } from '../errors/index.ts'
import type { RunEvent } from './run-event.ts'

const PREFIX = 'whsec_'
const MIN_BYTES = 24
const MAX_BYTES = 64
const HMAC = { name: 'HMAC', hash: 'SHA-256' } as const
const encoder = new TextEncoder()

/** The content of a delivery that its signature covers. */
export interface SignedContent {
  readonly id: string
  /** Seconds since the epoch. */
  readonly timestamp: number | string
  readonly body: string
}

/** Reads a secret such as `whsec_BASE64`; throws `bad_request` for any other. */
export function decodeWebhookSecret(secret: string): Uint8Array<ArrayBuffer> {
  const bytes = secret.startsWith(PREFIX) ? decodeBase64(secret.slice(PREFIX.length)) : undefined
  if (bytes !== undefined && bytes.length >= MIN_BYTES && bytes.length <= MAX_BYTES) return bytes
  throw badRequest(
    `The secret of a webhook must be "${PREFIX}" followed by ${MIN_BYTES} to ${MAX_BYTES} random bytes in base64. Create one with: node -p "'${PREFIX}' + crypto.randomBytes(32).toString('base64')"`,
  )
}

/** Signs a delivery and returns the value of `webhook-signature`. [HOOK-2] */
export async function signWebhook(secret: string, content: SignedContent): Promise<string> {
  const key = await importKey(secret)
  const signature = await crypto.subtle.sign(HMAC.name, key, toBytes(content))
  return `v1,${btoa(String.fromCharCode(...new Uint8Array(signature)))}`
}

/** Whether one of the signatures of a delivery was made with the secret. */
async function hasSignature(
  secret: string,
  content: SignedContent,
  signatures: string,
): Promise<boolean> {
  const key = await importKey(secret)
  for (const signature of signatures.split(' ')) {
    const bytes = signature.startsWith('v1,') ? decodeBase64(signature.slice(3)) : undefined
    if (bytes === undefined) continue
    // Compares in constant time.
    if (await crypto.subtle.verify(HMAC.name, key, bytes, toBytes(content))) return true
  }
  return false
}

function importKey(secret: string): Promise<CryptoKey> {
  return crypto.subtle.importKey('raw', decodeWebhookSecret(secret), HMAC, false, [
    'sign',
    'verify',
  ])
}

function toBytes({ id, timestamp, body }: SignedContent): Uint8Array<ArrayBuffer> {
  return encoder.encode(`${id}.${timestamp}.${body}`)
}

function decodeBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (unit) => unit.charCodeAt(0))
  } catch {
    return undefined
  }
}

/** A received request, and the secret that the receiver shares with the server. */
export interface ReceivedWebhook {
  readonly secret: string
  /** The headers, in the form of `fetch` or of Node. */
  readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>
  /** The exact body, not parsed and encoded again. */
  readonly body: string
  /** Maximum difference between the delivery time and now; default 5 minutes. */
  readonly toleranceMs?: number
  readonly now?: () => number
}

/**
 * Verifies the signature and the time of a delivery, and returns its event. Throws `unauthorized` for a wrong signature or an old delivery.
 * An event may be delivered more than once: store the `id` of handled events.
 */
export async function verifyWebhook({
  secret,
  headers,
  body,
  toleranceMs = 300_000,
  now = Date.now,
}: ReceivedWebhook): Promise<RunEvent> {
  const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map((name) =>
    readHeader(headers, `webhook-${name}`),
  )
  if (id === undefined || timestamp === undefined || signatures === undefined) {
    throw refusal('lacks webhook-id, webhook-timestamp or webhook-signature')
  }
  if (!(await hasSignature(secret, { id, timestamp, body }, signatures))) {
    throw refusal('has no valid signature of this secret for this body')
  }
  const age = Math.abs(now() - Number(timestamp) * 1_000)
  if (!(age <= toleranceMs)) throw refusal('is older or newer than toleranceMs allows')
  return JSON.parse(body) as RunEvent
}

function readHeader(headers: ReceivedWebhook['headers'], name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined
  const value = headers[name]
  return typeof value === 'string' ? value : value?.[0]
}

function refusal(problem: string): MillraceError {
  return new MillraceError('unauthorized', `The webhook ${problem}. Respond with 401.`)
}
