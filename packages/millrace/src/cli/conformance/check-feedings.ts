import type { SegmentEvent } from '../../segments/index.ts'
import { type MergedSegment, mergeSegments } from './merge-segments.ts'
import type { FedPieces } from './text-feedings.ts'

/** What came out of one feeding. */
export interface FedEvents {
  readonly events: readonly SegmentEvent[]
  /** What is wrong besides the events. */
  readonly faults?: readonly string[]
}

/** How a case is fed and what its result must be. */
export interface FeedingCheck<Piece> {
  readonly feedings: Iterable<FedPieces<Piece>>
  read(pieces: Iterable<Piece>): FedEvents
  compare(segments: readonly MergedSegment[], events: readonly SegmentEvent[]): string[]
  readonly mayOverlap?: boolean
}

/** These many feedings are compared with what is expected; the others must give the same as the first. */
const COMPARED_FEEDINGS = 3
/** More faults of one case say nothing new. */
const MAX_FAULTS = 20

/** Feeds a case in every way and lists what differs. */
export function checkFeedings<Piece>(check: FeedingCheck<Piece>): string[] {
  const { feedings, read, compare, mayOverlap = false } = check
  const faults: string[] = []
  let first: string | undefined
  let count = 0
  for (const { name, pieces } of feedings) {
    const { events, faults: readFaults = [] } = read(pieces)
    const merged = mergeSegments(events, { mayOverlap })
    const found = [...merged.faults, ...readFaults]
    if (count < COMPARED_FEEDINGS) found.push(...compare(merged.segments, events))
    const result = JSON.stringify(merged.segments)
    first ??= result
    if (result !== first) found.push(`expected the same as otherwise cut, found ${result}`)
    faults.push(...found.map((fault) => `[${name}] ${fault}`))
    if (faults.length >= MAX_FAULTS) return faults
    count++
  }
  return faults
}
