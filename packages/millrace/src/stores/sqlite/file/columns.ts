import { crc32 } from 'node:zlib'
import type { Row } from './connection.ts'
import { storeDamaged } from './store-errors.ts'

/** The whole number in a column. */
export function numberAt(row: Row, column: number): number {
  const value = row[column]
  if (typeof value !== 'number') throw storeDamaged(`column ${column} of a row is no number`)
  return value
}

/** The text in a column. */
export function textAt(row: Row, column: number): string {
  const value = row[column]
  if (typeof value !== 'string') throw storeDamaged(`column ${column} of a row is no text`)
  return value
}

/** The bytes in a column. */
export function bytesAt(row: Row, column: number): Uint8Array {
  const value = row[column]
  if (!(value instanceof Uint8Array)) throw storeDamaged(`column ${column} of a row has no bytes`)
  // Not the Buffer that it is, whose methods differ.
  return new Uint8Array(value.buffer, value.byteOffset, value.length)
}

/**
 * The sum that is stored before bytes. SQLite has none of its own, and reads a page that was cut off as zeros. It also covers the place of the
 * bytes, such as the key of their row: a row whose key is damaged, or which a damaged index leads to, is not taken for another one.
 */
export function sumOf(bytes: Uint8Array, place = ''): number {
  return crc32(bytes, crc32(place))
}

/** The bytes in a column, compared with the sum in the column before it. */
export function checkedBytesAt(row: Row, column: number, place = ''): Uint8Array {
  return checkBytes(row, column, [place])
}

/** Like {@link checkedBytesAt}, for rows that may be of schema 4 or earlier, whose sums do not cover a place. */
export function checkedOldBytesAt(row: Row, column: number, place: string): Uint8Array {
  return checkBytes(row, column, [place, ''])
}

function checkBytes(row: Row, column: number, places: readonly string[]): Uint8Array {
  const bytes = bytesAt(row, column)
  const sum = numberAt(row, column - 1)
  if (places.every((place) => sumOf(bytes, place) !== sum))
    throw storeDamaged('a sum does not fit its bytes')
  return bytes
}

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** Text is stored as bytes, because libsql reads a text only up to its first NUL. */
export function toBytes(text: string): Uint8Array {
  return encoder.encode(text)
}

/** Reads what {@link toBytes} wrote. */
export function fromBytes(bytes: Uint8Array): string {
  return decoder.decode(bytes)
}
