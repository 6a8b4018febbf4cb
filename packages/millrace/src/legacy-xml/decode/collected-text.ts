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

/** Checks whether the text ends inside a marker that may begin at `start`. */
export function isMarkerCut(marker: string, source: string, start: number): boolean {
  const seen = source.length - start
  return seen > 0 && seen < marker.length && marker.startsWith(source.slice(start))
}

/**
 * Returns a slice that does not keep the whole text alive: the engine's slices point into their parent, so a short
 * slice of a long text is copied.
 */
export function copySlice(source: string, start: number, end = source.length): string {
  const piece = source.slice(start, end)
  return piece.length * 2 < source.length ? ` ${piece}`.slice(1) : piece
}
