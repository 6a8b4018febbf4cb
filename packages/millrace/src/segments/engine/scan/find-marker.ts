import type { Marker, MarkerSet } from './marker.ts'
import type { Reader, Reading } from '../reader.ts'
import { more } from './step.ts'

/** A range in which no marker of a set begins: block candidates look ahead, mostly over the same text. */
interface MarkerFreeRange {
  readonly from: number
  readonly to: number
}

/** Ranges without markers ahead of a reader, by marker set. */
export type MarkerFreeRanges = WeakMap<MarkerSet, MarkerFreeRange>

/** Moves to the first marker of a set that begins before a limit; returns undefined if there is none. */
export function* findMarker(
  reader: Reader,
  set: MarkerSet,
  limit: number,
): Reading<Marker | undefined> {
  const { position: start, markerFreeRanges, input } = reader
  const known = markerFreeRanges.get(set)
  const isInside = known !== undefined && start >= known.from && start <= known.to
  if (isInside) reader.position = Math.min(known.to, limit)
  let found: Marker | undefined
  while (found === undefined && reader.position < limit) {
    passOthers(reader, set, limit)
    if (reader.position < limit && reader.position >= input.end) {
      if (input.ended) break
      yield more
    } else if (reader.position < limit) {
      found = yield* reader.match(set.markers)
      if (found === undefined) reader.position++
    }
  }
  const to = isInside ? Math.max(known.to, reader.position) : reader.position
  markerFreeRanges.set(set, { from: isInside ? known.from : start, to })
  return found
}

/** Moves to the next position at which a marker may begin. */
function passOthers(reader: Reader, { firsts }: MarkerSet, limit: number): void {
  const { input } = reader
  const end = Math.min(limit, input.end)
  let { position } = reader
  while (position < end && !firsts.has(input.codeAt(position))) position++
  reader.position = position
}
