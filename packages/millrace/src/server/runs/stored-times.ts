import type { PartChange, Store } from '../../stores/port/index.ts'
import { decodeTimes, type StoredTimes, type TimePair } from './run-times.ts'

/** The collection of times: those recorded between two appends, under the id of their first frame. */
export const TIMES = 'times'
const PAGE = 256

/** Encodes the times recorded since the last append. */
export function encodeTimes(times: StoredTimes, frame: number): readonly PartChange[] {
  const [number] = times
  if (number === undefined) return []
  return [{ collection: TIMES, number, frame, body: JSON.stringify(times) }]
}

/** Reads the times of the frames in a range. */
export async function readTimes(
  store: Pick<Store, 'parts'>,
  session: string,
  { first, last }: { readonly first: number; readonly last: number },
): Promise<readonly TimePair[]> {
  const pairs: TimePair[] = []
  for (let after = first - 1; ;) {
    const page = await store.parts(session, TIMES, { after, limit: PAGE })
    for (const { number, body } of page) {
      if (number > last) return pairs
      pairs.push(...decodeTimes(JSON.parse(body) as StoredTimes))
      after = number
    }
    if (page.length < PAGE) return pairs
  }
}
