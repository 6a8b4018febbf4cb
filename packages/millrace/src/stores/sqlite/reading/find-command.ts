import type { Command } from '../../port/index.ts'
import { checkedOldBytesAt, fromBytes, numberAt } from '../file/columns.ts'
import type { Row, Statement } from '../file/connection.ts'
import { commandPlace } from '../file/places.ts'

/** Finds the command with a key. */
export function findCommand(
  { findCommand: statement }: { readonly findCommand: Statement },
  session: number,
  key: string,
): Command | undefined {
  const row = statement.get(session, key)
  if (row === undefined) return undefined
  return commandAt(row, 1, { session, key, seq: numberAt(row, 0) })
}

/** Reads a command from the columns that start at `column`: state, checksum, body. */
export function commandAt(
  row: Row,
  column: number,
  { session, key, seq }: { readonly session: number; readonly key: string; readonly seq: number },
): Command {
  const isPending = numberAt(row, column) === 1
  const bytes = checkedOldBytesAt(row, column + 2, commandPlace(session, key, isPending))
  return { seq, key, body: fromBytes(bytes), isPending }
}
