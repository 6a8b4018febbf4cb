import { type OpenTag, type RawAttributes, readOpenTag } from './open-tag.ts'

/** One citation as it is written. */
export interface RawCitation {
  readonly attributes: RawAttributes
  readonly body: string
}

const OPENER = /<citation(?=[\s/>])/g
const SECTION_OPENER = /\s*<!\[CDATA\[/y
const CLOSER = /<\/citation\s*>/g
/** A section end counts only where the citation can end, since the old formatter did not protect it. [XML-10] */
const SECTION_CLOSER = /(?<=\]\]>\s*)<\/citation\s*>(?=\s*(?:<citation[\s/>]|$))/g

/** Reads the citations inside `<citations>`, in order; one that is not closed goes on to the end. [XML-12] */
export function* readCitations(body: string): Generator<RawCitation, void> {
  let at = 0
  for (;;) {
    OPENER.lastIndex = at
    const start = OPENER.exec(body)?.index
    if (start === undefined) return
    const open = readOpenTag(body, start)
    if (open === undefined) {
      at = start + 1
      continue
    }
    const closer = open.isSelfClosing ? undefined : findCloser(body, open)
    const bodyEnd = open.isSelfClosing ? open.end : (closer?.index ?? body.length)
    yield { attributes: open.attributes, body: body.slice(open.end, bodyEnd) }
    at = bodyEnd + (closer?.[0].length ?? 0)
  }
}

function findCloser(body: string, open: OpenTag): RegExpExecArray | null {
  SECTION_OPENER.lastIndex = open.end
  const pattern = SECTION_OPENER.test(body) ? SECTION_CLOSER : CLOSER
  pattern.lastIndex = open.end
  return pattern.exec(body)
}
