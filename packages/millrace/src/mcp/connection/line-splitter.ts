/** Splits bytes into lines of text. */
export interface LineSplitter {
  /** Returns the completed lines, without empty ones. */
  feed(bytes: Uint8Array): readonly string[]
}

const LINE_FEED = 10

/** Creates a splitter that buffers at most `maxBytes` of an unfinished line. Reports a longer line once. */
export function createLineSplitter({
  maxBytes,
  onOverflow,
}: {
  readonly maxBytes: number
  readonly onOverflow: () => void
}): LineSplitter {
  let parts: Uint8Array[] = []
  let length = 0
  let isOver = false
  const finish = (): string => {
    const line = new Uint8Array(length)
    let offset = 0
    for (const part of parts) {
      line.set(part, offset)
      offset += part.length
    }
    parts = []
    length = 0
    return new TextDecoder().decode(line).trim()
  }
  const keep = (part: Uint8Array): boolean => {
    length += part.length
    if (length <= maxBytes) return parts.push(part) > 0
    isOver = true
    parts = []
    onOverflow()
    return false
  }
  return {
    feed(bytes) {
      const lines: string[] = []
      let start = 0
      while (!isOver) {
        const end = bytes.indexOf(LINE_FEED, start)
        // Copied: a view would keep the whole chunk in memory.
        if (!keep(end < 0 ? bytes.slice(start) : bytes.subarray(start, end)) || end < 0) break
        const line = finish()
        if (line !== '') lines.push(line)
        start = end + 1
      }
      return lines
    },
  }
}
