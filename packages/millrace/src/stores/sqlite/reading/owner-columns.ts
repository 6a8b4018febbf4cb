import { storeDamaged } from '../file/store-errors.ts'
import { checkedBytesAt, fromBytes, sumOf, toBytes } from '../file/columns.ts'
import type { Row } from '../file/connection.ts'
import { ownerPlace } from '../file/places.ts'

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
