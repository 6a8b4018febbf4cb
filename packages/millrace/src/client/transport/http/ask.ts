import { failConnection } from './loss.ts'
import { toRetryDelay } from './retry-delay.ts'
import { send, type SendOptions } from './send.ts'
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

/** Maximum number of repetitions of a request without a response. */
const REPEATS = 2

/** Sends an idempotent request, and repeats it if its response is lost. `make` receives the number of lost responses. */
export async function repeat(
  { options }: Pick<Session, 'options'>,
  make: (losses: number) => Promise<Response>,
): Promise<Response> {
  for (let losses = 0; ; losses++) {
    try {
      return await make(losses)
    } catch (error) {
      if (losses === REPEATS) throw error
    }
    await new Promise((wake) => setTimeout(wake, toRetryDelay(losses, options)))
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
