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

/** The sum that is stored before bytes. SQLite has none of its own, and reads a page that was cut off as zeros. */
export function sumOf(bytes: Uint8Array): number {
  return crc32(bytes)
}

/** The bytes in a column, compared with the sum in the column before it, which may be of a kind of its own. */
export function checkedBytesAt(row: Row, column: number, sum = sumOf): Uint8Array {
  const bytes = bytesAt(row, column)
  if (sum(bytes) !== numberAt(row, column - 1)) throw storeDamaged('a sum does not fit its bytes')
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
