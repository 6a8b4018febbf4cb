import { badRequest } from '../../errors/index.ts'

/** A value of a column. */
export type Value = string | number | boolean | Buffer | null
/** A row, as values in the order of its columns. */
export type Row = readonly Value[]

/** Parsers by type number of Postgres. Texts stay unchanged. */
const parsers: Readonly<Record<number, (text: string) => Value>> = {
  16: (text) => text === 't',
  17: (text) => Buffer.from(text.slice(2), 'hex'),
  20: Number,
  23: Number,
  701: Number,
}

const toText = (text: string): Value => text

/** Parsers of this store. Any code of the process may change the driver's own. */
export const types = {
  getTypeParser: (oid: number): ((text: string) => Value) => parsers[oid] ?? toText,
}

/** Returns the text at an index of a row, decoded from bytes if necessary; undefined for none. */
export function textAt(row: Row, index: number): string | undefined {
  const value = row[index]
  if (value === null || value === undefined) return undefined
  return Buffer.isBuffer(value) ? value.toString() : String(value)
}

/** Returns the number at an index of a row; 0 for none. */
export function numberAt(row: Row, index: number): number {
  return Number(row[index] ?? 0)
}

/** Returns the bytes at an index of a row; empty for none. */
export function bytesAt(row: Row, index: number): Buffer {
  const value = row[index]
  return Buffer.isBuffer(value) ? value : Buffer.alloc(0)
}

/** A NUL or a lone surrogate. Postgres refuses such a text, and UTF-8 would change it. */
const unstorable = /\0|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/

/** Returns a name that can be stored; throws for any other. */
export function checkName(name: string): string {
  if (!unstorable.test(name) && name.length <= MAX_NAME_CHARS) return name
  throw badRequest(
    `A name contains a NUL or a lone surrogate, or has more than ${MAX_NAME_CHARS} characters. Choose another name.`,
  )
}

/** An index entry has at most 2,704 bytes, and a character up to 3. */
const MAX_NAME_CHARS = 800
