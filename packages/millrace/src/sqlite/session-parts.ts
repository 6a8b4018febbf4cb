import { compareLog, type Part, type PartChange, type PartRange } from '../store/index.ts'
import { checkName } from './check-name.ts'
import { checkedBytesAt, fromBytes, numberAt, toBytes } from './columns.ts'
import type { Statements } from './connection.ts'
import { sumOfPart } from './part-sum.ts'
import { lookUp, type ReadSources } from './session-reads.ts'
import type { writeTexts } from './statements.ts'
import { storeDamaged } from './store-errors.ts'

/** Puts and removes parts of a session, in the order that is given; their collections must have been checked. */
export function changeParts(
  statements: Statements<typeof writeTexts>,
  session: number,
  changes: readonly PartChange[],
): void {
  for (const change of changes) {
    const { collection, number } = change
    if (change.body === null) {
      statements.dropPart.run(session, collection, number)
    } else {
      const body = toBytes(change.body)
      const sum = sumOfPart(session, change, body)
      statements.putPart.run(session, collection, number, change.frame, sum, body)
    }
  }
}

/** Which parts are read. */
export interface PartQuery {
  readonly name: string
  readonly collection: string
  readonly range: PartRange
  readonly log: string | undefined
}

/** Parts of one collection of a session. */
export function readParts(
  sources: ReadSources,
  { name, collection, range, log }: PartQuery,
): readonly Part[] {
  checkName(collection)
  const { reader } = sources
  const isUp = 'after' in range
  const next = isUp ? reader.statements.partAfter : reader.statements.partBefore
  return reader.snapshot(() => {
    const found: Part[] = []
    const session = lookUp(sources, name)
    if (session) compareLog(name, log, session.log)
    let last = isUp ? range.after : range.before
    while (session && found.length < range.limit) {
      const row = next.get(session.number, collection, last)
      if (row === undefined) break
      const place = { collection, number: numberAt(row, 0), frame: numberAt(row, 1) }
      // A damaged index may lead back, and so for ever.
      if (isUp ? place.number <= last : place.number >= last)
        throw storeDamaged('parts of a session are out of order')
      last = place.number
      const body = checkedBytesAt(row, 3, (bytes) => sumOfPart(session.number, place, bytes))
      found.push({ ...place, body: fromBytes(body) })
    }
    return found
  })
}
