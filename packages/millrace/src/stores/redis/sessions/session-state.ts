import { numberAt, type Reply, textAt } from '../reply.ts'

/** Position and writer of a session. */
export interface SessionState {
  readonly epoch: number
  /** Random id of the writer. After data loss, another writer may get the same epoch. */
  readonly writer: string
  readonly tail: number
  /** Id of the log; empty if an older version has set none. */
  readonly log: string
  /** Number of appends, submissions and settlements. It reveals the loss of one without lines. */
  readonly writes: number
}

/** Status of a script's reply. */
type Status =
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

/** Returns the status of a reply. */
export function statusOf(reply: Reply): Status {
  return (textAt(reply, 0) ?? 'missing') as Status
}

/** Position of the details in a reply, after the status and the state. */
export const FIRST_DETAIL = 6

/** Returns the state in a reply. */
export function stateOf(reply: Reply): SessionState {
  const place = {
    tail: numberAt(reply, 3),
    log: textAt(reply, 4) ?? '',
    writes: numberAt(reply, 5),
  }
  return { epoch: numberAt(reply, 1), writer: textAt(reply, 2) ?? '', ...place }
}

/** Encodes the last known state of a session as script arguments. */
export function toSeen(seen: SessionState | undefined): readonly (string | number)[] {
  const { epoch = '', writer = '', tail = '', log = '', writes = '' } = seen ?? {}
  return [epoch, writer, tail, log, writes]
}
