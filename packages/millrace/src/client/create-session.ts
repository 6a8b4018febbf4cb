import { HttpSession } from './transport/http/http-session.ts'
import type { Session, SessionOptions } from './session.ts'

/** Creates a session. It sends nothing before `run`, `answer` or `watch`. */
export function createSession(options: SessionOptions): Session {
  return new HttpSession(options)
}
