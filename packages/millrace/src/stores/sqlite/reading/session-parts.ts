import {
  compareLog,
  isShared,
  joinParts,
  type Part,
  type PartChange,
  type PartRange,
} from '../../port/index.ts'
import {
  checkedBytesAt,
  checkName,
  fromBytes,
  headPlace,
  numberAt,
  partPlace,
  sumOf,
  toBytes,
} from '../file/columns.ts'
import type { Statements } from '../file/connection.ts'
import type { SessionState } from './live-sessions.ts'
import type { Reader } from '../file/open-reader.ts'
import { logsOf, lookUpBranch, type ReadSources } from './session-reads.ts'
import type { writeTexts } from '../file/statements.ts'
import { storeDamaged } from '../file/store-errors.ts'

/** Stores the head of a session. */
export function putHead(
  statements: Statements<typeof writeTexts>,
  { number, tail }: Pick<SessionState, 'number' | 'tail'>,
  head: string,
): void {
  const body = toBytes(head)
  statements.putHead.run(number, tail, sumOf(body, headPlace(number, tail)), body)
}

/** Stores and removes parts of a session in order. The caller has checked the collections. */
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
      const sum = sumOf(body, partPlace(session, change))
      statements.putPart.run(session, collection, number, change.frame, sum, body)
    }
  }
}

interface PartQuery {
  readonly name: string
  readonly collection: string
  readonly range: PartRange
  readonly log: string | undefined
}

/** Reads parts of a collection, including shared ones. */
export function readParts(
  sources: ReadSources,
  { name, collection, range, log }: PartQuery,
): readonly Part[] {
  checkName(collection)
  const { reader } = sources
  return reader.snapshot(() => {
    const session = lookUpBranch(sources, name)
    if (session === undefined) return []
    compareLog(name, log, session.log)
    const logs = logsOf(reader, session)
    const lists: (readonly Part[])[] = []
    for (const one of isShared(collection) ? logs : logs.slice(0, 1))
      lists.push(readOwnParts(reader, one, collection, range))
    return joinParts(lists, range)
  })
}

/** Reads parts of one log, without those of later frames. */
function readOwnParts(
  { statements }: Reader,
  { number: session, frame }: { readonly number: number; readonly frame: number },
  collection: string,
  range: PartRange,
): readonly Part[] {
  const isUp = 'after' in range
  const next = isUp ? statements.partAfter : statements.partBefore
  const found: Part[] = []
  for (let last = isUp ? range.after : range.before; found.length < range.limit;) {
    const row = next.get(session, collection, last, frame)
    if (row === undefined) break
    const place = { collection, number: numberAt(row, 0), frame: numberAt(row, 1) }
    // A damaged index may lead back to earlier rows, without end.
    if (isUp ? place.number <= last : place.number >= last)
      throw storeDamaged('parts of a session are out of order')
    last = place.number
    const body = checkedBytesAt(row, 3, partPlace(session, place))
    found.push({ ...place, body: fromBytes(body) })
  }
  return found
}
