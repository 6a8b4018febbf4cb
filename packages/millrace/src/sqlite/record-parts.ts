import type { SessionRecord } from '../store/index.ts'
import { checkedBytesAt, fromBytes, numberAt, sumOf, toBytes } from './columns.ts'
import type { Statement } from './connection.ts'
import { storeDamaged } from './store-errors.ts'
import { splitRecord } from './split-record.ts'

interface RecordWriting {
  readonly putRecord: Statement
  readonly putRecordPart: Statement
  readonly dropRecordParts: Statement
}

interface RecordReading {
  readonly findRecord: Statement
  readonly findRecordPart: Statement
}

/** A record, and the last message that was stored when it was. */
export interface StoredRecord {
  readonly record: SessionRecord
  readonly tail: number
}

/** Replaces the record of a session. SQLite writes only those pages of a part that differ from what they were. */
export function putRecord(
  statements: RecordWriting,
  session: number,
  { record, tail }: StoredRecord,
): void {
  const parts = splitRecord(toBytes(record.json))
  parts.forEach((part, index) => {
    statements.putRecordPart.run(session, index + 1, sumOf(part), part)
  })
  statements.dropRecordParts.run(session, parts.length)
  const summary = toBytes(record.summary)
  statements.putRecord.run(session, tail, parts.length, sumOf(summary), summary)
}

/** Reads what {@link putRecord} wrote. */
export function findRecord(statements: RecordReading, session: number): StoredRecord | undefined {
  const row = statements.findRecord.get(session)
  if (row === undefined) return undefined
  const summary = fromBytes(checkedBytesAt(row, 3))
  const parts = Array.from({ length: numberAt(row, 1) }, (_, index) => {
    const part = statements.findRecordPart.get(session, index + 1)
    if (part === undefined) throw storeDamaged('a part of a record is missing')
    return checkedBytesAt(part, 1)
  })
  const json = fromBytes(Buffer.concat(parts))
  return { record: { json, summary }, tail: numberAt(row, 0) }
}
