/** Text up to this length is read anew whenever it grows. */
const EAGER_LENGTH = 4_096
/** Beyond that, only when it has grown by this factor: what all the readings cost together stays linear. */
const GROWTH = 1.2

/** Decides how much of a growing text to read as Markdown; the rest is shown plain until the next reading. */
export interface ReadingPace {
  /** How much of a text of this length to read. */
  next(length: number): number
}

/** Creates a pace for a text of which nothing was read. */
export function createReadingPace(): ReadingPace {
  let read = 0
  return {
    next(length) {
      if (length <= EAGER_LENGTH || length > read * GROWTH || length < read) read = length
      return read
    },
  }
}
