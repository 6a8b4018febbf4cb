import { failConnection } from './check-response.ts'
import { createSessionId } from '../../session-id.ts'
import type { Session } from '../../session.ts'

/** Sends a request outside the stream of a session. A network error or a timeout is a connection failure. */
export function ask(
  session: Pick<Session, 'id' | 'options'>,
  path: string,
  body?: object,
  options?: Omit<SendOptions, 'signal'>,
): Promise<Response> {
  const signal = AbortSignal.timeout(session.options.idleTimeoutMs ?? 45_000)
  return send(session, path, body, { ...options, signal }).catch(failConnection)
}

const REPEATS = 2

/** Sends an idempotent request, and repeats it if its response is lost. `make` receives the number of lost responses. */
export async function repeat(
  { options }: Pick<Session, 'options'>,
  make: (failures: number) => Promise<Response>,
): Promise<Response> {
  for (let failures = 0; ; failures++) {
    try {
      return await make(failures)
    } catch (error) {
      if (failures === REPEATS) throw error
    }
    await new Promise((wake) => setTimeout(wake, toRetryDelay(failures, options)))
  }
}

/** Sends a request that changes something, with a key by which the server recognizes repetitions. */
export function command(
  session: Pick<Session, 'id' | 'options'>,
  path: string,
  body: object,
  options?: Omit<SendOptions, 'signal'>,
): Promise<Response> {
  const keyed = { message_id: createSessionId(), ...body }
  return repeat(session, () => ask(session, path, keyed, options))
}

interface SendOptions {
  readonly signal: AbortSignal
  readonly method?: string
  /** The `Prefer` header. */
  readonly prefer?: string
}

/** Sends a request of a session: a POST if it has a body and no method. */
export async function send(
  { id, options: { url, fetch = globalThis.fetch, headers } }: Pick<Session, 'id' | 'options'>,
  path: string,
  body: object | false | undefined,
  { signal, method, prefer }: SendOptions,
): Promise<Response> {
  return fetch(`${url.replace(/\/$/, '')}/agent/${path}`, {
    ...(body && { method: 'POST', body: JSON.stringify({ ...body, agent_uuid: id }) }),
    ...(method && { method }),
    headers: {
      // Only with a body: for another origin, this header causes a preflight request.
      ...(body && { 'content-type': 'application/json' }),
      ...(prefer && { prefer }),
      ...(typeof headers === 'function' ? await headers() : headers),
    },
    signal,
  })
}

/** Options of retries. */
export interface RetryOptions {
  /** Maximum first delay. It doubles with each consecutive connection failure; the actual delay is random below it. */
  readonly retryDelayMs?: number
  readonly maxRetryDelayMs?: number
  /** Returns a random number from 0 to below 1. */
  readonly random?: () => number
}

/**
 * Returns the delay before the next retry: exponential with full jitter, so that a thousand readers of a failed server do not reconnect at
 * once. `attempt` is the number of earlier consecutive failures.
 */
export function toRetryDelay(
  attempt: number,
  { retryDelayMs = 250, maxRetryDelayMs = 8_000, random = Math.random }: RetryOptions,
): number {
  return random() * Math.min(maxRetryDelayMs, retryDelayMs * 2 ** attempt)
}
