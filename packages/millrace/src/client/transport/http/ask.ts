import { throwLoss } from './loss.ts'
import { toRetryDelay } from './retry-delay.ts'
import { send, type SendOptions } from './send.ts'
import { createSessionId } from '../../session-id.ts'
import type { Session } from '../../session.ts'

/** Makes a request beside the stream of a session; what the network fails to carry in time is a loss. */
export function ask(
  session: Pick<Session, 'id' | 'options'>,
  path: string,
  body?: object,
  options?: Omit<SendOptions, 'signal'>,
): Promise<Response> {
  const signal = AbortSignal.timeout(session.options.idleTimeoutMs ?? 45_000)
  return send(session, path, body, { ...options, signal }).catch(throwLoss)
}

/** So often a request is repeated whose response is lost. */
const REPEATS = 2

/** Makes a request that changes something, with a key, by which the server knows it if it has to be repeated. */
export async function command(
  session: Session,
  path: string,
  body: object,
  options?: Omit<SendOptions, 'signal'>,
): Promise<Response> {
  const keyed = { message_id: createSessionId(), ...body }
  for (let losses = 0; ; losses++) {
    try {
      return await ask(session, path, keyed, options)
    } catch (error) {
      if (losses === REPEATS) throw error
    }
    await new Promise((wake) => setTimeout(wake, toRetryDelay(losses, session.options)))
  }
}
