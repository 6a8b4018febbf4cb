import { MillraceError } from '../../errors/index.ts'

/** A value of a row: texts, numbers, booleans, bytes, and null. */
export type Value = string | number | boolean | Buffer | null
/** A row as the driver gives it. */
export type Row = readonly Value[]

/** By the number that Postgres gives a type; texts stay as they are. */
const parsers: Readonly<Record<number, (text: string) => Value>> = {
  16: (text) => text === 't',
  17: (text) => Buffer.from(text.slice(2), 'hex'),
  20: Number,
  23: Number,
  701: Number,
}

const toText = (text: string): Value => text

/** Reads values; the driver has parsers of its own, which anyone in the process may change. */
export const types = {
  getTypeParser: (oid: number): ((text: string) => Value) => parsers[oid] ?? toText,
}

/** The text at a place of a row, which may be stored as bytes; undefined if there is none. */
export function textAt(row: Row, index: number): string | undefined {
  const value = row[index]
  if (value === null || value === undefined) return undefined
  return Buffer.isBuffer(value) ? value.toString() : String(value)
}

/** The number at a place of a row; 0 if there is none. */
export function numberAt(row: Row, index: number): number {
  return Number(row[index] ?? 0)
}

/** The bytes at a place of a row; none if there are none. */
export function bytesAt(row: Row, index: number): Buffer {
  const value = row[index]
  return Buffer.isBuffer(value) ? value : Buffer.alloc(0)
}

/** A NUL, or half of a pair: Postgres refuses such a text, and UTF-8 would make it another one. */
const unstorable = /\0|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/

/** Gives back a name that can be stored as it is, and refuses any other. */
export function checkName(name: string): string {
  if (!unstorable.test(name) && name.length <= MAX_NAME_CHARS) return name
  throw new MillraceError(
    'bad_request',
    `A name has a NUL or half of a surrogate pair in it, or more than ${MAX_NAME_CHARS} characters; use one without.`,
  )
}

/** An entry of an index has at most 2,704 bytes, and a character up to 3. */
const MAX_NAME_CHARS = 800
