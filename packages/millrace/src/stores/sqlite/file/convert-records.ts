import { bytesAt, numberAt, sumOf } from './columns.ts'
import type { Connection, Row, Statement } from './connection.ts'
import { partPlace } from './places.ts'

/** Checksum of a part whose bytes were already damaged. Valid checksums are not negative, so that reading the part reports the damage. */
const noSum = -1

/** Bytes of an older file. Damage is not an error here: one damaged session must not keep the others from being opened. */
interface OldBytes {
  readonly bytes: Uint8Array
  readonly isWhole: boolean
}

/**
 * Converts sessions to the schema with parts: the summary becomes the head, the record the only part of `record`, and each conversation a
 * part of `conversations`.
 */
export function convertRecords(connection: Connection): void {
  connection.exec(
    'INSERT INTO heads (session, tail, sum, body) SELECT session, tail, sum, summary FROM records',
  )
  const insert =
    connection.prepare(`INSERT INTO parts (session, collection, number, frame, sum, body)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6)`)
  const addPart = (
    session: number,
    place: Parameters<typeof partPlace>[1],
    { bytes, isWhole }: OldBytes,
  ): void => {
    const sum = isWhole ? sumOf(bytes, partPlace(session, place)) : noSum
    insert.run(session, place.collection, place.number, place.frame, sum, bytes)
  }
  const findPart = connection.prepare(
    'SELECT sum, body FROM record_parts WHERE key = ((?1 << 32) | ?2)',
  )
  forEachRow(connection, 'records', 'session, tail, parts', (row) => {
    const [session, frame] = [numberAt(row, 1), numberAt(row, 2)]
    const bytes = joinRecord(findPart, session, numberAt(row, 3))
    addPart(session, { collection: 'record', number: 1, frame }, bytes)
  })
  forEachRow(connection, 'conversations', 'session, number, sum, body', (row) => {
    const place = { collection: 'conversations', number: numberAt(row, 2), frame: 0 }
    addPart(numberAt(row, 1), place, oldBytesAt(row, 4))
  })
  connection.exec('DROP TABLE record_parts; DROP TABLE records; DROP TABLE conversations')
}

/** Visits each row of a table. The first column is the rowid. */
function forEachRow(
  connection: Connection,
  table: string,
  columns: string,
  visit: (row: Row) => void,
): void {
  const next = connection.prepare(
    `SELECT rowid, ${columns} FROM ${table} WHERE rowid > ?1 ORDER BY rowid LIMIT 1`,
  )
  for (let row = next.get(0); row !== undefined; row = next.get(numberAt(row, 0))) visit(row)
}

function joinRecord(findPart: Statement, session: number, count: number): OldBytes {
  const rows = Array.from({ length: count }, (_, index) => findPart.get(session, index + 1))
  const parts = rows.map((row) =>
    row ? oldBytesAt(row, 1) : { bytes: new Uint8Array(), isWhole: false },
  )
  return {
    bytes: Buffer.concat(parts.map(({ bytes }) => bytes)),
    isWhole: parts.every(({ isWhole }) => isWhole),
  }
}

function oldBytesAt(row: Row, column: number): OldBytes {
  const bytes = bytesAt(row, column)
  return { bytes, isWhole: sumOf(bytes) === numberAt(row, column - 1) }
}
