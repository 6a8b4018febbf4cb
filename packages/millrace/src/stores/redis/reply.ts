/** A reply of a script or command: texts as bytes, numbers, and null for missing values. */
export type Reply = readonly unknown[]

/** Returns the reply of a script as a list; an empty one for any other value. */
export function toReply(value: unknown): Reply {
  return Array.isArray(value) ? (value as Reply) : []
}

/** Returns the bytes at an index of a reply; undefined for none. */
export function bytesAt(reply: Reply, index: number): Buffer | undefined {
  const value = reply[index]
  return Buffer.isBuffer(value) ? value : undefined
}

/** Returns the text at an index of a reply; undefined for none. */
export function textAt(reply: Reply, index: number): string | undefined {
  return bytesAt(reply, index)?.toString()
}

/** Returns the number at an index of a reply, parsed from text if necessary; 0 for none. */
export function numberAt(reply: Reply, index: number): number {
  const value = reply[index]
  return typeof value === 'number' ? value : Number(textAt(reply, index) ?? 0)
}

/** Returns the texts in a reply. */
export function toTexts(value: unknown): string[] {
  const reply = toReply(value)
  return reply.flatMap((_, index) => textAt(reply, index) ?? [])
}

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

/** Returns the status of a script's reply, its first value. */
export function statusOf(reply: Reply): Status {
  return (textAt(reply, 0) ?? 'missing') as Status
}

/** Position of the details in a reply, after the status and the state. */
export const FIRST_DETAIL = 6

/** Returns the state of the session in a script's reply. */
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
