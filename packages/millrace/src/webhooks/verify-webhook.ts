import { MillraceError } from '../errors/index.ts'
import type { RunEvent } from './run-event.ts'
import { hasSignature } from './webhook-signature.ts'

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
