import { storeDamaged } from '../file/store-errors.ts'
import { checkedBytesAt, fromBytes, sumOf, toBytes } from '../file/columns.ts'
import type { Row } from '../file/connection.ts'
import { ownerPlace } from '../file/places.ts'

/** The columns `owner_sum` and `owner` of a session; both are null if it has no owner. */
export function toOwnerColumns(
  session: string,
  owner: string | null,
): readonly [number | null, Uint8Array | null] {
  if (owner === null) return [null, null]
  const bytes = toBytes(owner)
  return [sumOf(bytes, ownerPlace(session)), bytes]
}

/** The owner of a session in a column, whose sum is in the column before it. */
export function ownerAt(row: Row, column: number, session: string): string | null {
  if (row[column - 1] !== null) return fromBytes(checkedBytesAt(row, column, ownerPlace(session)))
  if (row[column] !== null) throw storeDamaged('an owner has no sum')
  return null
}
