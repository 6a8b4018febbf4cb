import { numberAt, type Reply, textAt } from '../reply.ts'

/** How far a session is, and who writes it. */
export interface SessionState {
  readonly epoch: number
  /** Drawn at random when the epoch began: after a loss the same number may be given to another. */
  readonly writer: string
  readonly tail: number
  /** The id of the log; empty where an older version has given it none yet. */
  readonly log: string
  /** How many appends, submissions and settlements it has had, so that a lost one is noticed that had no line. */
  readonly writes: number
}

/** What scripts answer with besides `ok`. */
export type Status =
  | 'ok'
  | 'missing'
  | 'fenced'
  | 'moved'
  | 'unseen'
  | 'replaced'
  | 'full'
  | 'trimmed'
  | 'truncated'
  | 'removed'
  | 'lost'
  | 'held'
  | 'branch'
  | 'late'
  | 'unused'

/** The first word of a script's answer. */
export function statusOf(reply: Reply): Status {
  return (textAt(reply, 0) ?? 'missing') as Status
}

/** Where what a script tells besides the status and the state begins. */
export const FIRST_DETAIL = 6

/** The state that stands behind the first word. */
export function stateOf(reply: Reply): SessionState {
  const place = {
    tail: numberAt(reply, 3),
    log: textAt(reply, 4) ?? '',
    writes: numberAt(reply, 5),
  }
  return { epoch: numberAt(reply, 1), writer: textAt(reply, 2) ?? '', ...place }
}

/** What a process has seen of a session, as scripts are given it to compare. */
export function toSeen(seen: SessionState | undefined): readonly (string | number)[] {
  const { epoch = '', writer = '', tail = '', log = '', writes = '' } = seen ?? {}
  return [epoch, writer, tail, log, writes]
}
