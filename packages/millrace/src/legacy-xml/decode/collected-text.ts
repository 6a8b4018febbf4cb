import { copySlice } from '../escaping/copy-slice.ts'

/** Text collected from slices of other texts. */
interface CollectedText {
  readonly length: number
  add(source: string, start: number, end: number): void
  /** Removes and returns all text, joined. */
  take(): string
}

/** Creates a collection with an initial text. */
export function createCollectedText(start = ''): CollectedText {
  let parts = [start]
  let { length } = start
  return {
    get length() {
      return length
    },
    add(source, from, end) {
      if (end <= from) return
      parts.push(copySlice(source, from, end))
      length += end - from
    },
    take() {
      const text = parts.join('')
      parts = []
      length = 0
      return text
    },
  }
}
