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
