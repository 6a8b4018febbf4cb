import { type OpenTag, type RawAttributes, readOpenTag } from './open-tag.ts'

/** A citation before decoding. */
export interface RawCitation {
  readonly attributes: RawAttributes
  readonly body: string
}

const OPENER = /<citation(?=[\s/>])/g
const CLOSER = /<\/citation\s*>/g
const SECTION_OPENER = /\s*<!\[CDATA\[/y
/** A section end counts only where the citation can end, because the old formatter did not escape it. [XML-10] */
const SECTION_CLOSER = /\]\]>\s*<\/citation\s*>(?=\s*(?:<citation[\s/>]|$))/g

/** Reads the citations inside `<citations>`, in order; an unclosed citation extends to the end. [XML-12] */
export function* readCitations(body: string): Generator<RawCitation, void> {
  let at = 0
  for (;;) {
    OPENER.lastIndex = at
    const start = OPENER.exec(body)?.index
    if (start === undefined) return
    const open = readOpenTag(body, start)
    if (open !== undefined) {
      const end = findEnd(body, open)
      yield { attributes: open.attributes, body: body.slice(open.end, end.body) }
      at = end.citation
    } else at = start + 1
  }
}

/** The end of a citation's body, and the end of the citation. */
interface CitationEnd {
  readonly body: number
  readonly citation: number
}

function findEnd(body: string, open: OpenTag): CitationEnd {
  if (open.isSelfClosing) return { body: open.end, citation: open.end }
  SECTION_OPENER.lastIndex = open.end
  const pattern = SECTION_OPENER.test(body) ? SECTION_CLOSER : CLOSER
  pattern.lastIndex = open.end
  const found = pattern.exec(body)
  if (found === null) return { body: body.length, citation: body.length }
  const citation = found.index + found[0].length
  return { body: found.index + found[0].lastIndexOf('<'), citation }
}
