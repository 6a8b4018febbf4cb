import {
  decodeEntities,
  encodeEntities,
  encodeReference,
  escapeBackslashes,
  incompleteMatch,
  incompletePair,
  replaceEvery,
  unescapeBackslashes,
} from './backslashes.ts'
import type { Layer } from '../tags.ts'

/** Delimiters of a section of raw text. */
export const SECTION_START = '<![CDATA['
/** The end of a CDATA section. */
export const SECTION_END = ']]>'
const JOIN = SECTION_END + SECTION_START

/** Puts text that a section cannot hold between two sections. */
function outside(text: string): string {
  return SECTION_END + text + SECTION_START
}

/** A section end, split over two sections. */
const SPLIT_END = `]]${JOIN}>`

/** Wraps text without line ends in a section; a section end in it is split over two. [XML-18] */
function wrapSection(text: string): string {
  return SECTION_START + text.split(SECTION_END).join(SPLIT_END) + SECTION_END
}

// With the `u` flag the range matches only lone surrogates, which UTF-8 cannot encode.
const UNSAFE_IN_SECTION = /\]\]>|[\n\r\ud800-\udfff]/gu
const UNSAFE_IN_RESULT = /\]\]>|\\n|[\n\r\ud800-\udfff]/gu
const incompleteUnsafe = incompleteMatch(/(?:\]{1,2}|\\|[\ud800-\udbff])$/)

/** Wraps text in sections that are read without unescaping. [XML-9] */
function wrapPlainSections(text: string): string {
  return wrapUnsafe(text, UNSAFE_IN_SECTION, { [SECTION_END]: SPLIT_END })
}

const resultEscapes: Readonly<Record<string, string>> = {
  [SECTION_END]: SPLIT_END,
  // Each section is unescaped by itself, so a backslash and an `n` in two sections are not a line end.
  '\\n': `\\${JOIN}n`,
  '\n': '\\n',
}

/** Wraps the text of a tool result in sections in which `\n` is a line end. [XML-8] */
function wrapResultSections(text: string): string {
  return wrapUnsafe(text, UNSAFE_IN_RESULT, resultEscapes)
}

/** Wraps text in sections, with references between them for characters without an escape. */
function wrapUnsafe(
  text: string,
  unsafe: RegExp,
  escapes: Readonly<Record<string, string>>,
): string {
  const escape = (match: string) => escapes[match] ?? outside(encodeReference(match))
  return SECTION_START + replaceEvery(text, unsafe, escape, incompleteUnsafe) + SECTION_END
}

const incompleteLineEnd = incompleteMatch(/\\$/)

/** Removes the escaping inside one section of a tool result. [XML-8] */
export function unescapeResultSection(section: string): string {
  return replaceEvery(section, /\\n/g, () => '\n', incompleteLineEnd)
}

/** A part of a body: the raw text of a section, or character data between sections. */
interface BodyPiece {
  readonly kind: 'section' | 'characters'
  readonly text: string
}

/** Splits a body into sections and the text between them; an unclosed section extends to the end. */
export function* bodyPieces(body: string): Generator<BodyPiece, void> {
  let at = 0
  while (at < body.length) {
    const start = body.indexOf(SECTION_START, at)
    const charactersEnd = start < 0 ? body.length : start
    if (charactersEnd > at) yield { kind: 'characters', text: body.slice(at, charactersEnd) }
    if (start < 0) return
    const end = body.indexOf(SECTION_END, start + SECTION_START.length)
    const sectionEnd = end < 0 ? body.length : end
    yield { kind: 'section', text: body.slice(start + SECTION_START.length, sectionEnd) }
    at = sectionEnd + SECTION_END.length
  }
}

/** Decodes a body whose sections share one escaping; blank character data is layout. [XML-8] [XML-9] */
function decodeSections(body: string, unescapeSection: (section: string) => string): string {
  if (!body.includes(SECTION_START)) return decodeEntities(body)
  const decoded: string[] = []
  for (const { kind, text } of bodyPieces(body)) {
    if (kind === 'section') decoded.push(unescapeSection(text))
    else if (!isBlank(text)) decoded.push(decodeEntities(text))
  }
  return decoded.join('')
}

/**
 * Returns the text between the first section start and the last section end, because the old formatter did not
 * escape a section end in its content; undefined if the body does not begin with a section. [XML-10]
 */
function unwrapLastSection(body: string): string | undefined {
  const trimmed = body.trim()
  if (!trimmed.startsWith(SECTION_START)) return undefined
  const end = trimmed.endsWith(SECTION_END) ? -SECTION_END.length : trimmed.length
  return trimmed.slice(SECTION_START.length, end).split(JOIN).join('')
}

/** Checks whether text is only XML white space. */
export function isBlank(text: string): boolean {
  return !/[^ \t\r\n]/.test(text)
}

/** Encoder and decoder of values in one part of the old system. */
export interface LayerCodec {
  readonly decodeAttribute: (raw: string) => string
  readonly encodeAttribute: (value: string) => string
  readonly decodeBody: (body: string) => string
  readonly encodeBody: (text: string) => string
}

const UNSAFE_UNITS = /[\n\r\ud800-\udfff]/gu

function encodeAgentAttribute(value: string): string {
  return replaceEvery(encodeEntities(value), UNSAFE_UNITS, encodeReference, incompletePair)
}

function decodeFormatterBody(body: string): string {
  const content = unwrapLastSection(body)
  return content === undefined
    ? decodeSections(unescapeBackslashes(body), (section) => section)
    : unescapeBackslashes(content)
}

/** The escaping of every layer, as the old encoder did it, made exact. [XML-7] [XML-8] [XML-9] */
export const layers: Readonly<Record<Layer, LayerCodec>> = {
  formatter: {
    decodeAttribute: (raw) => decodeEntities(unescapeBackslashes(raw)),
    encodeAttribute: (value) => escapeBackslashes(encodeEntities(value)),
    decodeBody: decodeFormatterBody,
    encodeBody: (text) => wrapSection(escapeBackslashes(text)),
  },
  result: {
    decodeAttribute: decodeEntities,
    encodeAttribute: encodeAgentAttribute,
    decodeBody: (body) => decodeSections(body, unescapeResultSection),
    encodeBody: wrapResultSections,
  },
  plain: {
    decodeAttribute: decodeEntities,
    encodeAttribute: encodeAgentAttribute,
    decodeBody: (body) => decodeSections(body, (section) => section),
    encodeBody: wrapPlainSections,
  },
}
