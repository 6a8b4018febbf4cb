import { createCollectedText } from './collected-text.ts'

/** Finds the end of a tag whose attributes come in pieces, reading every unit once. */
export interface TagScanner {
  /** Takes text and tells the first unit that it did not take. */
  scan(source: string, from: number): number
  /** `refused`: what was taken is no tag and is text. */
  readonly verdict: 'open' | 'complete' | 'refused'
  /** Takes out the start and everything that was taken. */
  take(): string
}

const delimiters = { none: /["'<>]/g, '"': /["<]/g, "'": /['<]/g } as const

function isQuote(text: string): text is '"' | "'" {
  return text === '"' || text === "'"
}

/** Creates the scanner of a tag that starts so, up to its name; `<` refuses it, as does the limit. [XML-6] [XML-22] */
export function createTagScanner(start: string, maxLength: number): TagScanner {
  const taken = createCollectedText(start)
  let quote: keyof typeof delimiters = 'none'
  let verdict: TagScanner['verdict'] = 'open'

  function judge(delimiter: string): void {
    if (delimiter === '<') verdict = 'refused'
    else if (delimiter === '>') verdict = 'complete'
    else quote = quote === 'none' && isQuote(delimiter) ? delimiter : 'none'
  }

  /** Takes text up to and with the next delimiter; `<` is left for what it may begin. */
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
