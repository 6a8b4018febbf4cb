import { MillraceError } from '../../errors/index.ts'
import { cursorTrimmed } from './cursor-trimmed.ts'
import { MAX_ANCESTORS, OWN_COLLECTION } from './limits.ts'
import type { Fork, ForkPoint, Part, PartRange } from './store.ts'

/** Says whether the branches of a session share a collection of its parts. */
export function isShared(collection: string): boolean {
  return !collection.startsWith(OWN_COLLECTION)
}

/** The session that a branch is created from, as far as that decides on it. */
export interface ForkSource {
  readonly tail: number
  readonly earliest: number
  /** How many ancestors the branch would have. */
  readonly ancestors: number
}

/** Refuses a fork at a frame that its source does not have, or of a branch with too many ancestors. */
export function checkFork({ from, frame }: Fork, { tail, earliest, ancestors }: ForkSource): void {
  if (!Number.isInteger(frame) || frame < 0 || frame > tail) {
    throw new MillraceError(
      'conflict',
      `Session ${from} has frames up to ${tail}; it cannot be forked after ${frame}.`,
      { details: { tail } },
    )
  }
  if (frame < earliest - 1) throw cursorTrimmed(frame, earliest)
  if (ancestors <= MAX_ANCESTORS) return
  throw new MillraceError(
    'overloaded',
    `Session ${from} has ${MAX_ANCESTORS} ancestors, which is all a branch may have; fork one of them.`,
  )
}

/** Throws `conflict` if a session that has the name of a branch is not that branch. */
export function compareFork(fork: Fork, known: ForkPoint | undefined, point: ForkPoint): void {
  if (known?.log === point.log && known.frame === point.frame) return
  throw new MillraceError(
    'conflict',
    `There is a session ${fork.to} already; choose another name for the branch.`,
  )
}

/**
 * Joins the parts that the logs of a branch have in a range, each list in the order of the range, the branch's own first: the first list
 * that has a number wins.
 */
export function joinParts(lists: readonly (readonly Part[])[], range: PartRange): readonly Part[] {
  const [only] = lists
  if (only !== undefined && lists.length === 1) return only
  const found = new Map<number, Part>()
  for (const part of lists.flat()) if (!found.has(part.number)) found.set(part.number, part)
  const sign = 'after' in range ? 1 : -1
  return [...found.values()].sort((a, b) => sign * (a.number - b.number)).slice(0, range.limit)
}
