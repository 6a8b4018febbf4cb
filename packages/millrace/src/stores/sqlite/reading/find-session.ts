import { numberAt, textAt } from '../file/columns.ts'
import type { Statement } from '../file/connection.ts'
import type { SessionState } from './live-sessions.ts'
import { ownerAt } from './owner-columns.ts'
import { sharedLogAt } from '../log/shared-logs.ts'

/** Finds the state of a session in its row, which excludes the journal. */
export function findSession(
  { findSession: statement }: { readonly findSession: Statement },
  name: string,
): SessionState | undefined {
  const row = statement.get(name)
  if (row === undefined) return undefined
  const [number, epoch] = [numberAt(row, 0), numberAt(row, 1)]
  const place = { tail: numberAt(row, 2), earliest: numberAt(row, 3) }
  const parent = sharedLogAt(row, 7, number)
  const owner = ownerAt(row, 13, name)
  const origin = { log: textAt(row, 4), generation: numberAt(row, 5), owner, parent }
  return { number, ...origin, epoch, ...place, inbox: numberAt(row, 6) }
}
