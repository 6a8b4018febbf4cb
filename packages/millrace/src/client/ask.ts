import { throwLoss } from './loss.ts'
import { send } from './send.ts'
import type { Session } from './session.ts'

/** Makes a request beside the stream of a session; what the network fails to carry is a loss. */
export function ask(session: Session, path: string, body?: object): Promise<Response> {
  return send(session, path, body).catch(throwLoss)
}
