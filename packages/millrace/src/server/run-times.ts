/** When messages of a run were told: an id and its time, and for each later pair how much more both are. */
export type StoredTimes = readonly number[]

/** An id, and when that message and those up to the next pair were told, in milliseconds since the epoch. */
export type TimePair = readonly [id: number, at: number]

interface RunTimesOptions {
  /** So many pairs are kept; then every second one goes, and those that come are twice as far apart. */
  readonly maxPairs?: number
}

const FIRST_GAP_MS = 10

/** Remembers when the messages of a run were told, as closely as a bounded number of pairs allows. */
export class RunTimes {
  readonly #maxPairs: number
  /** Ids and times by turns: an object for each pair of each run would keep the garbage collector busy. */
  #flat: number[]
  #gapMs = FIRST_GAP_MS

  constructor(stored: StoredTimes = [], { maxPairs = 1_024 }: RunTimesOptions = {}) {
    this.#maxPairs = maxPairs
    this.#flat = decodeTimes(stored).flat()
  }

  /** Notes that a message is told now. */
  note(id: number, at: number): void {
    const flat = this.#flat
    const { length } = flat
    if (length > 0 && (id <= flat[length - 2]! || at < flat[length - 1]! + this.#gapMs)) return
    flat.push(id, at)
    if (flat.length <= 2 * this.#maxPairs) return
    this.#flat = flat.filter((_, index) => index % 4 < 2)
    this.#gapMs *= 2
  }

  encode(): StoredTimes {
    return this.#flat.map((value, index) => value - (this.#flat[index - 2] ?? 0))
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
