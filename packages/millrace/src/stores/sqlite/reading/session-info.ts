import type { SessionInfo } from '../../port/index.ts'
import { checkedOldBytesAt, fromBytes, numberAt, textAt } from '../file/columns.ts'
import type { Row, Statement } from '../file/connection.ts'
import type { SessionState } from './live-sessions.ts'
import { headPlace } from '../file/places.ts'

/** Returns the head and fence of a session. */
export function toInfo(
  { findHead }: { readonly findHead: Statement },
  name: string,
  { number, log, generation, owner, parent, epoch, tail, earliest, inbox }: SessionState,
  now: number,
): SessionInfo {
  const row = findHead.get(number)
  // Another process has removed the session, and memory is not updated yet.
  const stored = row ? toHead(row, number) : { tail: 0, inbox, pending: 0, head: undefined }
  const info = {
    session: name,
    log,
    generation,
    // A commit may be in the file but not yet in memory. A head is never ahead of its frames.
    tail: Math.max(tail, stored.tail),
    earliest,
    epoch,
    inbox: stored.inbox,
    pending: stored.pending,
    head: stored.head,
    owner,
    ...(parent && { parent: { session: parent.session, log: parent.log, frame: parent.frame } }),
  }
  if (row === undefined || row[0] === null) return info
  return { ...info, lease: { owner: textAt(row, 0), hasLapsed: numberAt(row, 1) <= now } }
}

function toHead(row: Row, session: number) {
  const inbox = { inbox: numberAt(row, 2), pending: numberAt(row, 3) }
  const tail = row[4] === null ? 0 : numberAt(row, 4)
  return { ...inbox, tail, head: headAt(row, 6, session) }
}

/** Reads the head from a column that follows its tail and checksum; undefined for none. */
export function headAt(row: Row, column: number, session: number): string | undefined {
  if (row[column] === null) return undefined
  const place = headPlace(session, numberAt(row, column - 2))
  return fromBytes(checkedOldBytesAt(row, column, place))
}
