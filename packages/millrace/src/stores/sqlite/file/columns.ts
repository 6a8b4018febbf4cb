import { crc32 } from 'node:zlib'
import type { Row } from './connection.ts'
import { storeDamaged } from './store-errors.ts'
import type { Part } from '../../port/index.ts'
import { badRequest } from '../../../errors/index.ts'

/** Returns the number in a column. */
export function numberAt(row: Row, column: number): number {
  const value = row[column]
  if (typeof value !== 'number') throw storeDamaged(`column ${column} of a row is not a number`)
  return value
}

/** Returns the text in a column. */
export function textAt(row: Row, column: number): string {
  const value = row[column]
  if (typeof value !== 'string') throw storeDamaged(`column ${column} of a row is not a text`)
  return value
}

/** Returns the bytes in a column. */
export function bytesAt(row: Row, column: number): Uint8Array {
  const value = row[column]
  if (!(value instanceof Uint8Array))
    throw storeDamaged(`column ${column} of a row does not hold bytes`)
  // Not the Buffer itself, whose methods differ.
  return new Uint8Array(value.buffer, value.byteOffset, value.length)
}

/**
 * Computes the checksum stored before bytes. SQLite has no checksums, and reads a truncated page as zeros. The checksum also covers the
 * place of the bytes, such as their row's key, to detect damaged keys and indexes.
 */
export function sumOf(bytes: Uint8Array, place = ''): number {
  return crc32(bytes, crc32(place))
}

/** Returns the bytes in a column after comparing them with the checksum in the column before it. */
export function checkedBytesAt(row: Row, column: number, place = ''): Uint8Array {
  return checkBytes(row, column, [place])
}

/** Like {@link checkedBytesAt}, for rows that may be of schema 4 or earlier, whose checksums do not cover a place. */
export function checkedOldBytesAt(row: Row, column: number, place: string): Uint8Array {
  return checkBytes(row, column, [place, ''])
}

function checkBytes(row: Row, column: number, places: readonly string[]): Uint8Array {
  const bytes = bytesAt(row, column)
  const sum = numberAt(row, column - 1)
  if (places.every((place) => sumOf(bytes, place) !== sum))
    throw storeDamaged('a checksum does not match its bytes')
  return bytes
}

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** Encodes text. It is stored as bytes, because libsql reads a text only up to its first NUL. */
export function toBytes(text: string): Uint8Array {
  return encoder.encode(text)
}

/** Decodes the bytes of {@link toBytes}. */
export function fromBytes(bytes: Uint8Array): string {
  return decoder.decode(bytes)
}

/** Returns the place of a page for its checksum. */
export const pagePlace = (session: number, last: number): string => `page ${session} ${last}`

/** The place of a head, for its checksum. */
export const headPlace = (session: number, tail: number): string => `head ${session} ${tail}`

/** The place of a part, for its checksum. */
export const partPlace = (
  session: number,
  { collection, number, frame }: Omit<Part, 'body'>,
): string => `${session} ${number} ${frame} ${collection}`

/** The place of a command, for its checksum. */
export const commandPlace = (session: number, key: string, isPending: boolean): string =>
  `command ${session} ${isPending ? 1 : 0} ${key}`

/** The place of a file, for its checksum. */
export const filePlace = (session: number, id: string, mediaType: string): string =>
  `file ${session} ${id} ${mediaType}`

/** The place of an owner, for its checksum. */
export const ownerPlace = (session: string): string => `owner ${session}`

/** A NUL or a lone surrogate. SQLite or UTF-8 would change the name, possibly to that of another session. */
const unstorable = /\0|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/

/** Returns a name that can be stored; throws for any other. */
export function checkName(name: string): string {
  if (!unstorable.test(name)) return name
  throw badRequest('A name contains a NUL or a lone surrogate. Choose a name without them.')
}
