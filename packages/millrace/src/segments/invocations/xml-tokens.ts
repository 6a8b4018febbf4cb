import { decodeEntities } from './decode-entities.ts'

/** What a piece of markup is; `empty` is a tag that closes itself, `literal` a CDATA section. */
export type XmlTokenKind = 'open' | 'empty' | 'close' | 'literal' | 'comment'

/** A piece of markup; all between two of them is text. */
export interface XmlToken {
  readonly kind: XmlTokenKind
  readonly start: number
  readonly end: number
  /** The tag's name in lower case, empty for what is no tag. */
  readonly tag: string
  /** The `name` attribute, else the tag's name as it was written. */
  readonly key: string
}

/** CDATA sections and comments, which hide tags. */
const sections = [
  { kind: 'literal', opener: '<![CDATA[', closer: ']]>' },
  { kind: 'comment', opener: '<!--', closer: '-->' },
] as const

type Section = (typeof sections)[number]

/** Longer tags are text: what the pattern must remember has a bound. */
const MAX_TAG = 8192

// No part of a tag may hold `<`, so a failed match never looks at what the next one looks at.
const TAG =
  /^<(\/?)([\p{L}_][\p{L}\p{M}\p{N}_.:-]*)((?:\s+[^\s"'<>/=]+\s*=\s*(?:"[^"<]*"|'[^'<]*'|[^\s"'<>/=]+))*)\s*(\/?)>/u
const ATTRIBUTE = /([^\s"'<>/=]+)\s*=\s*(?:"([^"<]*)"|'([^'<]*)'|([^\s"'<>/=]+))/g

/** Finds the markup of a text in one pass; a `<` that begins none is text. */
export function toXmlTokens(text: string, truncated: boolean): XmlToken[] {
  const tokens: XmlToken[] = []
  const readSection = createSectionReader(text, truncated)
  let at = text.indexOf('<')
  while (at !== -1) {
    const token = text[at + 1] === '!' ? readSection(at) : readTag(text, at)
    if (token !== undefined) tokens.push(token)
    at = text.indexOf('<', token?.end ?? at + 1)
  }
  return tokens
}

function readTag(text: string, start: number): XmlToken | undefined {
  const match = TAG.exec(text.slice(start, start + MAX_TAG))
  if (match === null) return undefined
  const [tag, slash, name = '', attributes = '', selfClosing] = match
  const kind = slash === '/' ? 'close' : selfClosing === '/' ? 'empty' : 'open'
  const key = (attributes === '' ? undefined : readName(attributes)) ?? name
  return { kind, start, end: start + tag.length, tag: name.toLowerCase(), key }
}

/** The value of the first `name` among attributes that {@link TAG} has accepted. */
function readName(attributes: string): string | undefined {
  for (const [, name, double, single, bare] of attributes.matchAll(ATTRIBUTE)) {
    if (name?.toLowerCase() !== 'name') continue
    return decodeEntities(double ?? single ?? bare ?? '') || undefined
  }
  return undefined
}

/** Reads sections, and looks only once for a closer that the text does not have. */
function createSectionReader(text: string, truncated: boolean) {
  const unclosed = new Set<Section>()
  return (start: number): XmlToken | undefined => {
    const section = sections.find(({ opener }) => text.startsWith(opener, start))
    if (section === undefined || unclosed.has(section)) return undefined
    const { kind, opener, closer } = section
    const found = text.indexOf(closer, start + opener.length)
    if (found !== -1) return { kind, start, end: found + closer.length, tag: '', key: '' }
    unclosed.add(section)
    return truncated ? { kind, start, end: text.length, tag: '', key: '' } : undefined
  }
}

/** What stands in a CDATA section, the closer of which may have been cut off. */
export function toLiteralText(text: string, { start, end }: XmlToken): string {
  const [{ opener, closer }] = sections
  const section = text.slice(start + opener.length, end)
  return section.endsWith(closer) ? section.slice(0, -closer.length) : section
}
