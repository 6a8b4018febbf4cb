import { throwLoss } from './loss.ts'
import { send } from './send.ts'
import type { Session } from './session.ts'

/** Makes a request beside the stream of a session; what the network fails to carry in time is a loss. */
export function ask(
  session: Pick<Session, 'id' | 'options'>,
  path: string,
  body?: object,
  method?: string,
): Promise<Response> {
  const signal = AbortSignal.timeout(session.options.idleTimeoutMs ?? 45_000)
  return send(session, path, body, { signal, method }).catch(throwLoss)
}
