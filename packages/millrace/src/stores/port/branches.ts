import { MillraceError } from '../../errors/index.ts'
import { cursorTrimmed } from './fence-errors.ts'
import { MAX_ANCESTORS, OWN_COLLECTION } from './limits.ts'
import type { Fork, ForkPoint, Part, PartRange } from './store.ts'

/** Whether branches of a session share a collection of its parts. */
export function isShared(collection: string): boolean {
  return !collection.startsWith(OWN_COLLECTION)
}

/** Properties of a session that limit where it can be forked. */
export interface ForkSource {
  readonly tail: number
  readonly earliest: number
  /** Number of ancestors of the new branch. */
  readonly ancestors: number
}

/** Throws if the source does not have the frame of a fork, or if the branch would have too many ancestors. */
export function checkFork({ from, frame }: Fork, { tail, earliest, ancestors }: ForkSource): void {
  if (!Number.isInteger(frame) || frame < 0 || frame > tail) {
    throw new MillraceError(
      'conflict',
      `Session ${from} ends at frame ${tail}; it cannot be forked after frame ${frame}. Fork it at an existing frame.`,
      { details: { tail } },
    )
  }
  if (frame < earliest - 1) throw cursorTrimmed(frame, earliest)
  if (ancestors <= MAX_ANCESTORS) return
  throw new MillraceError(
    'overloaded',
    `A branch of session ${from} would have more than ${MAX_ANCESTORS} ancestors, which is the maximum. Fork one of its ancestors.`,
  )
}

/** Throws `conflict` if the session with a branch's name is not that branch. */
export function compareFork(fork: Fork, known: ForkPoint | undefined, point: ForkPoint): void {
  if (known?.log === point.log && known.frame === point.frame) return
  throw new MillraceError(
    'conflict',
    `Session ${fork.to} already exists. Choose another name for the branch.`,
  )
}

/**
 * Merges the parts of a branch and its ancestors. Each list is in the order of the range; the branch's own list comes first. Of
 * several parts with one number, the first counts.
 */
export function joinParts(lists: readonly (readonly Part[])[], range: PartRange): readonly Part[] {
  const [only] = lists
  if (only !== undefined && lists.length === 1) return only
  const found = new Map<number, Part>()
  for (const part of lists.flat()) if (!found.has(part.number)) found.set(part.number, part)
  const sign = 'after' in range ? 1 : -1
  return [...found.values()].sort((a, b) => sign * (a.number - b.number)).slice(0, range.limit)
}
