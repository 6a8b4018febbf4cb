import { redactText } from '../../outbound/index.ts'
import { signWebhook } from '../../webhooks/index.ts'
import type { StoredDelivery } from './stored-delivery.ts'
import type { Endpoint } from './webhook-options.ts'

/** No reason is longer. */
const MAX_REASON = 200

/** One attempt to deliver an event. */
export interface Attempt {
  readonly endpoint: Endpoint
  readonly delivery: StoredDelivery
  readonly now: () => number
  /** The receiver has so long to answer. */
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

/**
 * Sends an event to its receiver; resolves with undefined if it was accepted, else with the reason. Redirects are not followed, and the body of
 * the answer is not read. [HOOK-2] [HOOK-3]
 */
export async function postEvent(attempt: Attempt): Promise<string | undefined> {
  const { endpoint, delivery, now, timeoutMs, signal } = attempt
  const { eventId: id, payload: body } = delivery
  const timestamp = Math.floor(now() / 1_000)
  const timeout = AbortSignal.timeout(timeoutMs)
  try {
    const response = await fetch(endpoint.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'millrace',
        'webhook-id': id,
        'webhook-timestamp': String(timestamp),
        'webhook-signature': await signWebhook(endpoint.secret, { id, timestamp, body }),
      },
      body,
      redirect: 'manual',
      signal: AbortSignal.any([signal, timeout]),
    })
    // The status is all that counts, and a body may be endless.
    await response.body?.cancel().catch(() => {})
    return response.ok ? undefined : describeStatus(response.status)
  } catch (error) {
    if (timeout.aborted) return `it has not answered within ${timeoutMs} ms`
    return `it could not be reached (${describeCause(error)})`
  }
}

function describeStatus(status: number): string {
  const isRedirect = status === 0 || (status >= 300 && status < 400)
  return isRedirect
    ? `it answered with a redirect (${status}), which is not followed`
    : `it answered ${status}`
}

/** `fetch` hides the reason behind its own error. */
function describeCause(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  const text = cause instanceof Error ? cause.message || cause.name : String(cause)
  return redactText(text).slice(0, MAX_REASON)
}
