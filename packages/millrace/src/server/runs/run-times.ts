/** When messages of a run were told: an id and its time, and for each later pair how much more both are. */
export type StoredTimes = readonly number[]

/** An id, and when that message and those up to the next pair were told, in milliseconds since the epoch. */
export type TimePair = readonly [id: number, at: number]

const FIRST_GAP_MS = 10
/** After so many pairs those that come are twice as far apart: a long run has few more than a short one. */
const PAIRS_PER_GAP = 512

/** Notes when the messages of a run were told, and gives what is new to be stored. */
export class RunTimes {
  /** Ids and times by turns: an object for each pair of each run would keep the garbage collector busy. */
  #fresh: number[] = []
  #gapMs = FIRST_GAP_MS
  #count = 0
  #lastId = 0
  #lastAt = -Infinity

  /** Notes that a message is told now. */
  note(id: number, at: number): void {
    if (id <= this.#lastId || at < this.#lastAt + this.#gapMs) return
    this.#fresh.push(id, at)
    this.#lastId = id
    this.#lastAt = at
    this.#count += 1
    if (this.#count % PAIRS_PER_GAP === 0) this.#gapMs *= 2
  }

  /** Gives the pairs that were noted since this was called last; none if there are none. */
  take(): StoredTimes {
    const flat = this.#fresh
    this.#fresh = []
    return flat.map((value, index) => value - (flat[index - 2] ?? 0))
  }
}

/** Reads what {@link RunTimes} has written. */
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
