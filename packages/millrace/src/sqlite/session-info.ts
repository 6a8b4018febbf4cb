import type { SessionInfo } from '../store/index.ts'
import { checkedBytesAt, fromBytes, numberAt, textAt } from './columns.ts'
import type { Row, Statement } from './connection.ts'
import type { SessionState } from './live-sessions.ts'

/** What a store tells of a session that stands where its state says. */
export function toInfo(
  { findHead }: { readonly findHead: Statement },
  name: string,
  { number, log, generation, parent, epoch, tail, earliest, inbox }: SessionState,
  now: number,
): SessionInfo {
  const row = findHead.get(number)
  // Another process has removed it, which memory does not know yet.
  const stored = row ? toHead(row) : { tail: 0, inbox, pending: 0, head: undefined }
  const info = {
    session: name,
    log,
    generation,
    // A commit may be in the file and not yet in memory; a head is never ahead of its messages.
    tail: Math.max(tail, stored.tail),
    earliest,
    epoch,
    inbox: stored.inbox,
    pending: stored.pending,
    head: stored.head,
    ...(parent && { parent: { session: parent.session, log: parent.log, frame: parent.frame } }),
  }
  if (row === undefined || row[0] === null) return info
  return { ...info, lease: { owner: textAt(row, 0), hasLapsed: numberAt(row, 1) <= now } }
}

function toHead(row: Row) {
  const inbox = { inbox: numberAt(row, 2), pending: numberAt(row, 3) }
  const tail = row[4] === null ? 0 : numberAt(row, 4)
  return { ...inbox, tail, head: headAt(row, 6) }
}

/** The head in a column, whose sum is in the column before it; a session may have none. */
export function headAt(row: Row, column: number): string | undefined {
  return row[column] === null ? undefined : fromBytes(checkedBytesAt(row, column))
}
