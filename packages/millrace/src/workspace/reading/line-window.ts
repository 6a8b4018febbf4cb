interface LineWindowOptions {
  /** The first line to return, from 1. */
  readonly offset: number
  readonly limit: number
  readonly maxChars: number
  readonly maxLineChars: number
}

/** Selects lines of a text that arrives in chunks. */
export interface LineWindow {
  feed(text: string): void
  finish(): void
  readonly lines: readonly string[]
  /** Number of lines so far; after `finish`, of the whole text. */
  readonly lineCount: number
  /** Whether no more lines are added. */
  readonly isFull: boolean
  readonly hasCarriageReturns: boolean
}

/** Creates a line window. Of a line that is too long, it buffers only the start. */
export function createLineWindow(options: LineWindowOptions): LineWindow {
  const { offset, limit, maxChars, maxLineChars } = options
  const lines: string[] = []
  let lineCount = 0
  let charCount = 0
  let start = ''
  let length = 0
  let isFull = false
  let hasCarriageReturns = false

  const extend = (text: string): void => {
    // One character more than shown, to detect a carriage return at the end.
    if (start.length <= maxLineChars) start += text.slice(0, maxLineChars + 1 - start.length)
    length += text.length
  }
  const endLine = (): void => {
    lineCount += 1
    if (lineCount >= offset && !isFull) take()
    start = ''
    length = 0
  }
  const take = (): void => {
    const hasReturn = start.length === length && start.endsWith('\r')
    hasCarriageReturns ||= hasReturn
    const whole = hasReturn ? start.slice(0, -1) : start
    const surplus = length - Number(hasReturn) - maxLineChars
    const shown = surplus > 0 ? `${whole.slice(0, maxLineChars)}… [+${surplus} characters]` : whole
    const line = `${String(lineCount).padStart(6)}\t${shown}`
    charCount += line.length + 1
    isFull = charCount > maxChars && lines.length > 0
    if (isFull) return
    lines.push(line)
    isFull = lines.length === limit
  }
  return {
    feed(text) {
      let from = 0
      for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', from)) {
        extend(text.slice(from, end))
        endLine()
        from = end + 1
      }
      if (from < text.length) extend(text.slice(from))
    },
    finish() {
      if (length > 0) endLine()
    },
    lines,
    get lineCount() {
      return lineCount
    },
    get isFull() {
      return isFull
    },
    get hasCarriageReturns() {
      return hasCarriageReturns
    },
  }
}
