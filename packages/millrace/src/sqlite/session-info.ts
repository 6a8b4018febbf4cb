import type { SessionInfo } from '../store/index.ts'
import { numberAt, textAt } from './columns.ts'
import type { Statement } from './connection.ts'
import type { SessionState } from './live-sessions.ts'
import { findRecord } from './record-parts.ts'

interface InfoReading {
  readonly findLease: Statement
  readonly findRecord: Statement
  readonly findRecordPart: Statement
}

/** What a store tells of a session that stands where its state says. */
export function toInfo(
  statements: InfoReading,
  name: string,
  { number, epoch, tail, earliest }: SessionState,
  now: number,
): SessionInfo {
  const stored = findRecord(statements, number)
  const info = {
    session: name,
    // A commit may be in the file and not yet in memory; a record is never ahead of its messages.
    tail: Math.max(tail, stored?.tail ?? 0),
    earliest,
    epoch,
    record: stored?.record,
  }
  const lease = statements.findLease.get(number)
  if (lease === undefined || lease[0] === null) return info
  return { ...info, lease: { owner: textAt(lease, 0), hasLapsed: numberAt(lease, 1) <= now } }
}
