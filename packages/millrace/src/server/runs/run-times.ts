import type { PartChange, Store } from '../../stores/port/index.ts'
import { type HistorySource, readRunFrames, type RunRange } from './stored-run.ts'

/** Times of frames of a run: an id and its time, and for each later pair the differences. */
export type StoredTimes = readonly number[]

/** An id, and the time of the frames from it up to the next pair, in milliseconds since the epoch. */
export type TimePair = readonly [id: number, at: number]

const FIRST_GAP_MS = 10
/** Number of pairs after which the gap doubles, so that a long run has few more than a short one. */
const PAIRS_PER_GAP = 512

/** Records the times of a run's frames, and returns new ones to store. */
export class RunTimes {
  /** Alternating ids and times: an object for each pair would burden the garbage collector. */
  #fresh: number[] = []
  #gapMs = FIRST_GAP_MS
  #count = 0
  #lastId = 0
  #lastAt = -Infinity

  /** Records that a frame is emitted now. */
  note(id: number, at: number): void {
    if (id <= this.#lastId || at < this.#lastAt + this.#gapMs) return
    this.#fresh.push(id, at)
    this.#lastId = id
    this.#lastAt = at
    this.#count += 1
    if (this.#count % PAIRS_PER_GAP === 0) this.#gapMs *= 2
  }

  /** Returns the pairs recorded since the last call. */
  take(): StoredTimes {
    const flat = this.#fresh
    this.#fresh = []
    return flat.map((value, index) => value - (flat[index - 2] ?? 0))
  }
}

/** Decodes times of {@link RunTimes}. */
export function decodeTimes(stored: StoredTimes): TimePair[] {
  const pairs: TimePair[] = []
  let [id, at] = [0, 0]
  for (let index = 0; index + 1 < stored.length; index += 2) {
    id += stored[index] ?? 0
    at += stored[index + 1] ?? 0
    pairs.push([id, at])
  }
  return pairs
}

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
async function readTimes(
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

interface TimesRange extends RunRange {
  /** The last frame of the log. */
  readonly tail: number
}

/** Reads the times of frames: of up to `limit` runs, and of the active run if the newest runs are read. */
export async function readTimesView(
  source: HistorySource,
  { before, limit, tail }: TimesRange,
): Promise<{ readonly times: readonly TimePair[]; readonly has_more: boolean }> {
  const found = await readRunFrames(source, { before, limit: limit + 1 })
  const shown = found.slice(0, limit)
  const has_more = found.length > limit
  const first = has_more ? (shown.at(-1)?.first ?? 1) : 1
  const last = before === undefined ? tail : (shown[0]?.last ?? 0)
  const times = await readTimes(source.store, source.session, { first, last })
  // The record of the last run of version 0.1.0 has its times, too.
  const [firstId = Infinity] = times[0] ?? []
  const older = shown.toReversed().flatMap((run) => decodeTimes(run.times ?? []))
  return { times: [...older.filter(([id]) => id < firstId), ...times], has_more }
}
