import { throwLoss } from './loss.ts'
import { send } from './send.ts'
import type { Session } from './session.ts'

/** Makes a request beside the stream of a session; what the network fails to carry in time is a loss. */
export function ask(session: Session, path: string, body?: object): Promise<Response> {
  const signal = AbortSignal.timeout(session.options.idleTimeoutMs ?? 45_000)
  return send(session, path, body, { signal }).catch(throwLoss)
}
