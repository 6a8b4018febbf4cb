import { redactText } from '../../outbound/index.ts'
import type { NewCommand } from '../../stores/port/index.ts'
import { type RunEvent, signWebhook } from '../../webhooks/index.ts'
import type { Endpoint } from './webhook-options.ts'

/** Maximum length of a reason. */
const MAX_REASON = 200

/** One attempt to deliver an event. */
interface Attempt {
  readonly endpoint: Endpoint
  readonly delivery: StoredDelivery
  readonly now: () => number
  /** Time limit of the request. */
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

/**
 * Posts an event to its endpoint; resolves with undefined if it was accepted, otherwise with the reason. Does not follow
 * redirects or read the response body. [HOOK-2] [HOOK-3]
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
    // Only the status counts, and a body may be endless.
    await response.body?.cancel().catch(() => {})
    return response.ok ? undefined : describeStatus(response.status)
  } catch (error) {
    if (timeout.aborted) return `it did not respond within ${timeoutMs} ms`
    return `it is unreachable (${describeCause(error)})`
  }
}

function describeStatus(status: number): string {
  const isRedirect = status === 0 || (status >= 300 && status < 400)
  return isRedirect
    ? `it responded with a redirect (${status}), which is not followed`
    : `it responded with ${status}`
}

/** `fetch` wraps the actual cause. */
function describeCause(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  const text = cause instanceof Error ? cause.message || cause.name : String(cause)
  return redactText(text).slice(0, MAX_REASON)
}

/** Maximum attempts of a delivery. */
export const MAX_ATTEMPTS = 8

/** Each delay is this many times the one before. */
const FACTOR = 5

/** Random spread of retries, so that those of many events do not coincide. */
const SPREAD = 0.2

/**
 * Returns the milliseconds to the next attempt of a failed delivery by its age; undefined if none is left. Attempts have fixed
 * ages, so no count is stored and a restart adds none. With the default of 5 s they are at about 5 s, 30 s, 2.5 min, 13 min, 1 h,
 * 5.5 h and 27 h.
 */
export function retryDelay(
  ageMs: number,
  retryMs: number,
  random: () => number = Math.random,
): number | undefined {
  let dueMs = 0
  for (let retry = 0; retry < MAX_ATTEMPTS - 1; retry++) {
    dueMs += retryMs * FACTOR ** retry
    if (dueMs * (1 - SPREAD) <= ageMs) continue
    return dueMs * (1 - SPREAD + 2 * SPREAD * random()) - ageMs
  }
  return undefined
}

/** A delivery as stored in the inbox of a session. */
export interface StoredDelivery {
  readonly endpoint: string
  /** Time of the event, in milliseconds since the epoch. */
  readonly createdAt: number
  readonly eventId: string
  /** The body of the request. */
  readonly payload: string
}

/** No other command begins like this: theirs begin with a run number. */
const START = '{"webhook":'

/** Encodes a delivery as a command. */
export function encodeDelivery(event: RunEvent, endpoint: Endpoint): NewCommand {
  const delivery: StoredDelivery = {
    endpoint: endpoint.id,
    createdAt: Date.parse(event.timestamp),
    eventId: event.id,
    payload: JSON.stringify(event),
  }
  const key = `webhook:${event.id}:${endpoint.id}`
  return { key, body: JSON.stringify({ webhook: delivery }) }
}

/** Decodes a command that is a delivery; undefined for other commands. */
export function decodeDelivery({ body }: NewCommand): StoredDelivery | undefined {
  if (!body.startsWith(START)) return undefined
  return (JSON.parse(body) as { readonly webhook: StoredDelivery }).webhook
}
