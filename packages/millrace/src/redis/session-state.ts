import { numberAt, type Reply, textAt } from './reply.ts'

/** How far a session is, and who writes it. */
export interface SessionState {
  readonly epoch: number
  /** Drawn at random when the epoch began: after a loss the same number may be given to another. */
  readonly writer: string
  readonly tail: number
}

/** What scripts answer with besides `ok`. */
export type Status =
  | 'ok'
  | 'missing'
  | 'fenced'
  | 'moved'
  | 'trimmed'
  | 'truncated'
  | 'removed'
  | 'lost'

/** The first word of a script's answer. */
export function statusOf(reply: Reply): Status {
  return (textAt(reply, 0) ?? 'missing') as Status
}

/** The state that stands behind the first word. */
export function stateOf(reply: Reply): SessionState {
  return { epoch: numberAt(reply, 1), writer: textAt(reply, 2) ?? '', tail: numberAt(reply, 3) }
}
