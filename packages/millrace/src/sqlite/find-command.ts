import type { Command } from '../store/index.ts'
import { checkedBytesAt, fromBytes, numberAt } from './columns.ts'
import type { Statement } from './connection.ts'

/** The command of a session that has a key. */
export function findCommand(
  { findCommand: statement }: { readonly findCommand: Statement },
  session: number,
  key: string,
): Command | undefined {
  const row = statement.get(session, key)
  if (row === undefined) return undefined
  const body = fromBytes(checkedBytesAt(row, 3))
  return { seq: numberAt(row, 0), key, body, isPending: numberAt(row, 1) === 1 }
}
