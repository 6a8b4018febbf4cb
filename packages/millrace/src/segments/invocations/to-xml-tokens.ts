import { decodeEntities } from './decode-entities.ts'
import { type XmlTokenKind, XmlTokens } from './xml-tokens.ts'

/** CDATA sections and comments, which hide tags. */
const sections = [
  { kind: 'literal', opener: '<![CDATA[', closer: ']]>' },
  { kind: 'comment', opener: '<!--', closer: '-->' },
] as const

type Section = (typeof sections)[number]

/** Maximum length of a tag; a longer one is text, so that the pattern's state has a bound. */
const MAX_TAG = 8192

// No part of a tag may contain `<`, so a failed match never reads the text of the next one.
const TAG =
  /<\/?[\p{L}_][\p{L}\p{M}\p{N}_.:-]*(?:\s+[^\s"'<>/=]+\s*=\s*(?:"[^"<]*"|'[^'<]*'|[^\s"'<>/=]+))*\s*\/?>/uy
const NAME_END = /[\s/>]/g
const ATTRIBUTE = /([^\s"'<>/=]+)\s*=\s*(?:"([^"<]*)"|'([^'<]*)'|([^\s"'<>/=]+))/g

/** Finds the markup of a text in one pass; any other `<` is text. */
export function toXmlTokens(text: string, truncated: boolean): XmlTokens {
  const tokens = new XmlTokens()
  const readSection = createSectionReader(text, truncated)
  let at = text.indexOf('<')
  while (at !== -1) {
    const next = text.indexOf('<', at + 1)
    const end = text[at + 1] === '!' ? readSection(tokens, at) : readTag(tokens, text, at, next)
    at = end === -1 || end <= next ? next : text.indexOf('<', end)
  }
  return tokens
}

/**
 * Adds the tag at `start`, if there is one, and returns its end, otherwise -1; the next `<` is at `next`, or
 * nowhere.
 */
function readTag(tokens: XmlTokens, text: string, start: number, next: number): number {
  const end = findTagEnd(text, start, next)
  if (end === -1) return -1
  const isClose = text[start + 1] === '/'
  const nameStart = isClose ? start + 2 : start + 1
  NAME_END.lastIndex = nameStart
  NAME_END.test(text)
  const nameEnd = NAME_END.lastIndex - 1
  const name = text.slice(nameStart, nameEnd)
  const key = nameEnd + 1 < end ? readName(text.slice(nameEnd, end)) : undefined
  const kind: XmlTokenKind = isClose ? 'close' : text[end - 2] === '/' ? 'empty' : 'open'
  tokens.add(kind, start, end, name, key)
  return end
}

/** Returns the end of the tag, or -1; matches in place unless the text after it is long. */
function findTagEnd(text: string, start: number, next: number): number {
  const isShort = next !== -1 && next - start <= MAX_TAG
  TAG.lastIndex = isShort ? start : 0
  if (!TAG.test(isShort ? text : text.slice(start, start + MAX_TAG))) return -1
  return isShort ? TAG.lastIndex : start + TAG.lastIndex
}

/** Returns the value of the first `name` among attributes that {@link TAG} has accepted. */
function readName(attributes: string): string | undefined {
  for (const [, name, double, single, bare] of attributes.matchAll(ATTRIBUTE)) {
    if (name?.toLowerCase() !== 'name') continue
    return decodeEntities(double ?? single ?? bare ?? '') || undefined
  }
  return undefined
}

/** Adds sections, and searches only once for a closer that the text does not have. */
function createSectionReader(text: string, truncated: boolean) {
  const unclosed = new Set<Section>()
  return (tokens: XmlTokens, start: number): number => {
    const section = sections.find(({ opener }) => text.startsWith(opener, start))
    if (section === undefined || unclosed.has(section)) return -1
    const { kind, opener, closer } = section
    const found = text.indexOf(closer, start + opener.length)
    if (found === -1) unclosed.add(section)
    if (found === -1 && !truncated) return -1
    const end = found === -1 ? text.length : found + closer.length
    tokens.add(kind, start, end)
    return end
  }
}

/** Returns the text of a CDATA section, whose closer may be missing. */
export function toLiteralText(text: string, start: number, end: number): string {
  const [{ opener, closer }] = sections
  const section = text.slice(start + opener.length, end)
  return section.endsWith(closer) ? section.slice(0, -closer.length) : section
}
