/** Text up to this length is parsed whenever it grows. */
const EAGER_LENGTH = 4_096
/** Longer text is parsed after growing by this factor, so that the total cost is linear. */
const GROWTH = 1.2

/** Decides how much of a growing text is parsed as Markdown; the rest is shown as plain text. */
export interface ParsePace {
  /** Returns how much of a text of this length to parse. */
  next(length: number): number
}

/** Creates a pace for a new text. */
export function createParsePace(): ParsePace {
  let read = 0
  return {
    next(length) {
      if (length <= EAGER_LENGTH || length > read * GROWTH || length < read) read = length
      return read
    },
  }
}
