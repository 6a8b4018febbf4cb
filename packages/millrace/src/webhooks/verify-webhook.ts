import { MillraceError } from '../errors/index.ts'
import type { RunEvent } from './run-event.ts'
import { hasSignature } from './webhook-signature.ts'

/** A request that a receiver got, and the secret that it shares with the server. */
export interface ReceivedWebhook {
  readonly secret: string
  /** The headers, as `fetch` has them or as Node has them. */
  readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>
  /** The body exactly as it came, not parsed and written again. */
  readonly body: string
  /** How far the time of the delivery may be from now; 5 minutes unless given. */
  readonly toleranceMs?: number
  readonly now?: () => number
}

/**
 * Checks that a delivery comes from a server with the same secret and is not an old one that somebody repeats; resolves with its event.
 * Throws `unauthorized` otherwise. An event may come more than once: remember the `id` of those you have handled.
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
    throw refusal('has no signature of this secret over this body')
  }
  const age = Math.abs(now() - Number(timestamp) * 1_000)
  if (!(age <= toleranceMs)) throw refusal('is older, or newer, than allowed')
  return JSON.parse(body) as RunEvent
}

function readHeader(headers: ReceivedWebhook['headers'], name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined
  const value = headers[name]
  return typeof value === 'string' ? value : value?.[0]
}

function refusal(problem: string): MillraceError {
  return new MillraceError('unauthorized', `The webhook ${problem}; answer it with 401.`)
}
