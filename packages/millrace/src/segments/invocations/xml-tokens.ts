import { decodeEntities } from './decode-entities.ts'

/** The kind of a markup token; `empty` is a self-closing tag, `literal` a CDATA section. */
export type XmlTokenKind = 'open' | 'empty' | 'close' | 'literal' | 'comment'

const kinds: readonly XmlTokenKind[] = ['open', 'empty', 'close', 'literal', 'comment']

/** Numbers stored for each token: its kind, its start and end, and its tag. */
const COLUMNS = 4
const FIRST_ROOM = 64

const NO_TAG = -1

/**
 * The markup tokens of a text, in order; everything between two of them is text. They are stored as rows of numbers: in a text full of
 * tags, objects would take most of the time, mainly for garbage collection.
 */
export class XmlTokens {
  length = 0
  #rows = new Int32Array(FIRST_ROOM * COLUMNS)
  /** Tag names as first written, and the numbers of tags by their names in lower case. */
  readonly #names: string[] = []
  readonly #tags = new Map<string, number>()
  /** Keys that differ from the tag's name as first written. */
  readonly #keys = new Map<number, string>()

  /** Adds a token; a tag has a name, and another key if an attribute sets one. */
  add(kind: XmlTokenKind, start: number, end: number, name?: string, key = name): void {
    const row = this.length * COLUMNS
    if (row === this.#rows.length) this.#grow()
    const tag = name === undefined ? NO_TAG : this.#toTag(name)
    this.#rows[row] = kinds.indexOf(kind)
    this.#rows[row + 1] = start
    this.#rows[row + 2] = end
    this.#rows[row + 3] = tag
    if (key !== undefined && key !== this.#names[tag]) this.#keys.set(this.length, key)
    this.length++
  }

  kindOf(index: number): XmlTokenKind {
    return kinds[this.#rows[index * COLUMNS] ?? 0] ?? 'open'
  }

  startOf(index: number): number {
    return this.#rows[index * COLUMNS + 1] ?? 0
  }

  endOf(index: number): number {
    return this.#rows[index * COLUMNS + 2] ?? 0
  }

  /** Returns the number of the tag, the same for a name in any case; -1 for a token that is not a tag. */
  tagOf(index: number): number {
    return this.#rows[index * COLUMNS + 3] ?? NO_TAG
  }

  /** Returns the `name` attribute, otherwise the tag's name as written; empty for a token that is not a tag. */
  keyOf(index: number): string {
    return this.#keys.get(index) ?? this.#names[this.tagOf(index)] ?? ''
  }

  /** Returns the number of a tag by its name in lower case; -1 if there is none. */
  tagNamed(name: string): number {
    return this.#tags.get(name) ?? NO_TAG
  }

  get tagCount(): number {
    return this.#names.length
  }

  #toTag(name: string): number {
    const lower = name.toLowerCase()
    const known = this.#tags.get(lower)
    if (known !== undefined) return known
    this.#tags.set(lower, this.#names.length)
    return this.#names.push(name) - 1
  }

  #grow(): void {
    const rows = new Int32Array(this.#rows.length * 2)
    rows.set(this.#rows)
    this.#rows = rows
  }
}

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

/** Adds the tag at `start`, if there is one, and returns its end, otherwise -1; the next `<` is at `next`, or nowhere. */
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
