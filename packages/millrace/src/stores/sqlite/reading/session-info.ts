import type { SessionInfo } from '../../port/index.ts'
import {
  checkedBytesAt,
  checkedOldBytesAt,
  fromBytes,
  headPlace,
  numberAt,
  ownerPlace,
  sumOf,
  textAt,
  toBytes,
} from '../file/columns.ts'
import type { Row, Statement } from '../file/connection.ts'
import type { SessionState } from './live-sessions.ts'
import { storeDamaged } from '../file/store-errors.ts'
import { sharedLogAt } from '../log/shared-logs.ts'

/** Finds the state of a session in its row, which excludes the journal. */
export function findSession(
  { findSession: statement }: { readonly findSession: Statement },
  name: string,
): SessionState | undefined {
  const row = statement.get(name)
  if (row === undefined) return undefined
  const [number, epoch] = [numberAt(row, 0), numberAt(row, 1)]
  const place = { tail: numberAt(row, 2), earliest: numberAt(row, 3) }
  const parent = sharedLogAt(row, 7, number)
  const owner = ownerAt(row, 13, name)
  const origin = { log: textAt(row, 4), generation: numberAt(row, 5), owner, parent }
  return { number, ...origin, epoch, ...place, inbox: numberAt(row, 6) }
}

/** Returns the facts that `info` reports about a session. */
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

/** Returns the columns `owner_sum` and `owner`; both are null without an owner. */
export function toOwnerColumns(
  session: string,
  owner: string | null,
): readonly [number | null, Uint8Array | null] {
  if (owner === null) return [null, null]
  const bytes = toBytes(owner)
  return [sumOf(bytes, ownerPlace(session)), bytes]
}

/** Reads an owner from a column, with its checksum in the column before. */
export function ownerAt(row: Row, column: number, session: string): string | null {
  if (row[column - 1] !== null) return fromBytes(checkedBytesAt(row, column, ownerPlace(session)))
  if (row[column] !== null) throw storeDamaged('an owner has no checksum')
  return null
}
