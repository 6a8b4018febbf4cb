/** An element of a stream, with its body as it was written. */
export interface XmlElement {
  readonly tag: string
  readonly attributes: string
  readonly body: string
  readonly isClosed: boolean
  /** Where the next element can begin. */
  readonly end: number
}

const OPENING = /<([A-Za-z][\w-]*)((?:\s+[\w-]+\s*=\s*(?:"[^"]*"|'[^']*'))*)\s*(\/?)>/g

/** Finds the next element with a known tag; everything before it is layout. */
export function readElement(
  stream: string,
  from: number,
  isKnown: (tag: string) => boolean,
): XmlElement | undefined {
  OPENING.lastIndex = from
  for (let match = OPENING.exec(stream); match !== null; match = OPENING.exec(stream)) {
    const [opening, tag = '', attributes = '', slash] = match
    const start = match.index + opening.length
    if (isKnown(tag)) {
      if (slash === '/') return { tag, attributes, body: '', isClosed: true, end: start }
      return { tag, attributes, ...readBody(stream, start, `</${tag}>`) }
    }
    OPENING.lastIndex = match.index + 1
  }
  return undefined
}

/** The body up to the closing tag; a closing tag inside CDATA is content. Text and thinking have no CDATA. */
function readBody(stream: string, start: number, closing: string) {
  const isPlain = /-(text|thinking)>$/.test(closing)
  let position = start
  for (;;) {
    const close = stream.indexOf(closing, position)
    if (close === -1) return { body: stream.slice(start), isClosed: false, end: stream.length }
    const section = stream.indexOf('<![CDATA[', position)
    if (isPlain || section === -1 || section > close)
      return { body: stream.slice(start, close), isClosed: true, end: close + closing.length }
    const sectionEnd = stream.indexOf(']]>', section)
    if (sectionEnd === -1) return { body: stream.slice(start), isClosed: false, end: stream.length }
    position = sectionEnd + 3
  }
}

const named: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
}

function decodeEntities(value: string): string {
  return value.replace(/&(?:#x([\da-f]+)|#(\d+)|(\w+));/gi, (whole, hex, decimal, name) => {
    if (name !== undefined) return named[name] ?? whole
    return String.fromCodePoint(hex === undefined ? Number(decimal) : Number.parseInt(hex, 16))
  })
}

/** The attributes of an opening tag, unescaped. */
export function decodeAttributes(attributes: string): Record<string, string> {
  const pairs = [...attributes.matchAll(/([\w-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g)]
  return Object.fromEntries(
    pairs.map(([, name = '', double, single]) => [name, decodeEntities(double ?? single ?? '')]),
  )
}

/** The text of a body: CDATA sections as they are, the rest unescaped. */
export function textOf(body: string): string {
  if (!body.includes('<![CDATA[')) return decodeEntities(body)
  return [...body.matchAll(/<!\[CDATA\[([^]*?)\]\]>/g)].map(([, text]) => text).join('')
}
