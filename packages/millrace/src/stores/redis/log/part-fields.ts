import type { Part, PartChange, PartRange } from '../../port/index.ts'
import type { Argument } from '../connection/wire-command.ts'

/** Collections for data that version 0.1.0 stored beside a log. They are read until they are removed. */
export const RECORD = 'record'
const CONVERSATIONS = 'conversations'

/** The number of digits of 2^53, so that fields sort by number. */
const DIGITS = 16
const LARGEST = Number.MAX_SAFE_INTEGER

const reserved = /[%\0]/g

/** Returns the field of a part. The zero byte separates collections with any names. */
function toField(collection: string, number: number): string {
  const name = collection.replace(reserved, (sign) => (sign === '%' ? '%25' : '%00'))
  return `${name}\0${String(number).padStart(DIGITS, '0')}`
}

/** Returns the number in a field. */
export function numberOf(field: string): number {
  return Number(field.slice(-DIGITS))
}

/** Decodes a part from the value of its field, where the frame precedes the body. */
export function toPart(collection: string, number: number, value: Buffer): Part {
  const colon = value.indexOf(':')
  const frame = Number(value.subarray(0, colon).toString())
  return { collection, number, frame, body: value.subarray(colon + 1).toString() }
}

/** Encodes a change of an append. It also removes data of version 0.1.0 under its number. */
export function toPartChange(part: PartChange): readonly Argument[] {
  const { collection, number } = part
  const field = toField(collection, number)
  const change = part.body === null ? ['drop', field, ''] : ['put', field, toValue(part)]
  const isOld = collection === CONVERSATIONS || (collection === RECORD && number === 1)
  return isOld ? [...change, 'old', collection, number] : change
}

function toValue({ frame, body }: Part): string {
  return `${frame}:${body}`
}

/** Returns the bounds of a range among the fields of a collection, and among the numbers of version 0.1.0. */
export function toBounds(collection: string, range: PartRange): readonly Argument[] {
  if ('after' in range) {
    const first =
      range.after < 0 ? `[${toField(collection, 0)}` : `(${toField(collection, range.after)}`
    const old = oldIn(collection, range.after < 1)
    return [
      first,
      `[${toField(collection, LARGEST)}`,
      'FWD',
      range.limit,
      old,
      `(${range.after}`,
      '+inf',
    ]
  }
  const before = Math.min(range.before, LARGEST + 1)
  const last = before <= 0 ? `(${toField(collection, 0)}` : `(${toField(collection, before)}`
  const old = oldIn(collection, range.before > 1)
  return [last, `[${toField(collection, 0)}`, 'REV', range.limit, old, `(${range.before}`, '-inf']
}

function oldIn(collection: string, hasRecord: boolean): string {
  if (collection === RECORD) return hasRecord ? RECORD : ''
  return collection === CONVERSATIONS ? CONVERSATIONS : ''
}
