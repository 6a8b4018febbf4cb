import { createCollectedText } from './collected-text.ts'

/** Finds the end of a tag whose attributes arrive in chunks; reads every unit once. */
export interface TagScanner {
  /** Reads text and returns the first unread position. */
  scan(source: string, from: number): number
  /** `refused`: the text read so far is not a tag. */
  readonly verdict: 'open' | 'complete' | 'refused'
  /** Removes and returns the start and all text read so far. */
  take(): string
}

const delimiters = { none: /["'<>]/g, '"': /["<]/g, "'": /['<]/g } as const

function isQuote(text: string): text is '"' | "'" {
  return text === '"' || text === "'"
}

/** Creates the scanner of a tag from its start, up to its name. A `<` or an exceeded limit refuses it. [XML-6] [XML-22] */
export function createTagScanner(start: string, maxLength: number): TagScanner {
  const taken = createCollectedText(start)
  let quote: keyof typeof delimiters = 'none'
  let verdict: TagScanner['verdict'] = 'open'

  function judge(delimiter: string): void {
    if (delimiter === '<') verdict = 'refused'
    else if (delimiter === '>') verdict = 'complete'
    else quote = quote === 'none' && isQuote(delimiter) ? delimiter : 'none'
  }

  /** Reads text up to and including the next delimiter; `<` stays unread, because it may begin a tag. */
  function pass(source: string, from: number): number {
    const pattern = delimiters[quote]
    pattern.lastIndex = from
    const found = pattern.exec(source)
    if (found !== null) judge(found[0])
    const end = found === null ? source.length : found.index + (found[0] === '<' ? 0 : 1)
    taken.add(source, from, end)
    return end
  }

  return {
    get verdict() {
      return verdict
    },
    scan(source, from) {
      let at = from
      while (verdict === 'open' && at < source.length) {
        at = pass(source, at)
        if (taken.length > maxLength) verdict = 'refused'
      }
      return at
    },
    take: () => taken.take(),
  }
}
