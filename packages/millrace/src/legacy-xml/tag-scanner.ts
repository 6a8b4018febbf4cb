import { copyOut } from './copy-out.ts'

/** Finds the end of a tag whose attributes come in pieces, reading every unit once. */
export interface TagScanner {
  /** Takes text and tells the first unit that it did not take. */
  scan(source: string, from: number): number
  /** `refused`: what was taken is no tag and is text. */
  readonly verdict: 'open' | 'complete' | 'refused'
  /** The start and everything that was taken. */
  text(): string
}

const delimiters = { none: /["'<>]/g, '"': /["<]/g, "'": /['<]/g } as const

function isQuote(text: string): text is '"' | "'" {
  return text === '"' || text === "'"
}

/** Creates the scanner of a tag that starts so, up to its name; `<` refuses it, as does the limit. [XML-6] [XML-22] */
export function createTagScanner(start: string, maxLength: number): TagScanner {
  const parts = [start]
  let { length } = start
  let quote: keyof typeof delimiters = 'none'
  let verdict: TagScanner['verdict'] = 'open'

  function findDelimiter(source: string, from: number): RegExpExecArray | null {
    const pattern = delimiters[quote]
    pattern.lastIndex = from
    return pattern.exec(source)
  }

  function keep(source: string, from: number, end: number): number {
    parts.push(copyOut(source, from, end))
    length += end - from
    return end
  }

  function pass(source: string, from: number, found: RegExpExecArray): number {
    const delimiter = found[0]
    if (delimiter === '<') verdict = 'refused'
    else if (delimiter === '>') verdict = 'complete'
    else quote = quote === 'none' && isQuote(delimiter) ? delimiter : 'none'
    return keep(source, from, found.index + (delimiter === '<' ? 0 : 1))
  }

  return {
    get verdict() {
      return verdict
    },
    scan(source, from) {
      let at = from
      while (verdict === 'open' && at < source.length) {
        const found = findDelimiter(source, at)
        at = found === null ? keep(source, at, source.length) : pass(source, at, found)
        if (length > maxLength) verdict = 'refused'
      }
      return at
    },
    text: () => parts.join(''),
  }
}
