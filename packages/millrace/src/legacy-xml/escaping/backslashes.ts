const ESCAPE = /\\(?:([\\nr])|u([0-9a-fA-F]{4}))/g
const unescaped: Readonly<Record<string, string>> = { '\\': '\\', n: '\n', r: '\r' }

/**
 * Removes the escaping of the formatter layer in one pass from left to right; a backslash before any other
 * character is kept. [XML-7]
 */
export function unescapeBackslashes(text: string): string {
  return text.includes('\\') ? replaceEvery(text, ESCAPE, unescapeOne, incompleteEscapeStart) : text
}

function unescapeOne(escape: string, letter?: string, hex?: string): string {
  if (letter !== undefined) return unescaped[letter] ?? escape
  return String.fromCharCode(Number.parseInt(hex ?? '', 16))
}

// With the `u` flag the range matches only lone surrogates, which UTF-8 cannot encode.
const UNSAFE_IN_ATTRIBUTE = /[\\\n\r\ud800-\udfff]/gu
const escaped: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r' }

/** Escapes backslashes, line ends and lone surrogates like the formatter layer. [XML-7] */
export function escapeBackslashes(text: string): string {
  return replaceEvery(text, UNSAFE_IN_ATTRIBUTE, escapeUnit, incompletePair)
}

/** Escapes one UTF-16 unit. */
export function escapeUnit(unit: string): string {
  return escaped[unit] ?? `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/** Length of `\uXXX`, the longest incomplete escape. */
const LONGEST_INCOMPLETE = 5
const INCOMPLETE = /^\\(?:u[0-9a-fA-F]{0,3})?$/

/**
 * Returns the start of an escape that the end of the text may have cut, or the text's length.
 * a tab is \u00
 * ^
 */
export function incompleteEscapeStart(text: string): number {
  const last = text.lastIndexOf('\\')
  if (last < 0 || last < text.length - LONGEST_INCOMPLETE || !INCOMPLETE.test(text.slice(last))) {
    return text.length
  }
  let first = last
  while (first > 0 && text.charCodeAt(first - 1) === 0x5c) first--
  return (last - first) % 2 === 0 ? last : text.length
}

/**
 * The engine collects every match of a text before it replaces the first. With a large collection, twice the text
 * takes more than twice the time; windows of this many units keep it small.
 */
const WINDOW_LENGTH = 8192

/** Maximum length of a match that a window could split. */
const LONGEST_MATCH = 16

/** Returns the start of a match that the end of the text may have cut, or the text's length. */
type IncompleteStart = (text: string) => number

/** Creates an {@link IncompleteStart} from a pattern of the incomplete match, which must end with `$`. */
export function incompleteMatch(pattern: RegExp): IncompleteStart {
  return (text) => {
    const tail = text.slice(-LONGEST_MATCH)
    const start = tail.search(pattern)
    return start < 0 ? text.length : text.length - tail.length + start
  }
}

/** For patterns that check whether a surrogate is alone. */
export const incompletePair = incompleteMatch(/[\ud800-\udbff]$/)

/** Replaces every match of a global pattern, in time linear in the text. */
export function replaceEvery(
  text: string,
  pattern: RegExp,
  replace: (match: string, ...groups: (string | undefined)[]) => string,
  incompleteStart: IncompleteStart = (window) => window.length,
): string {
  if (text.length <= WINDOW_LENGTH) return text.replace(pattern, replace)
  const parts: string[] = []
  let at = 0
  while (at < text.length) {
    const end = Math.min(text.length, at + WINDOW_LENGTH)
    const window = text.slice(at, end)
    const whole = end === text.length ? window : window.slice(0, incompleteStart(window))
    parts.push(whole.replace(pattern, replace))
    at += whole.length
  }
  return parts.join('')
}

const named: Readonly<Record<string, string>> = {
  amp: '&',
  apos: "'",
  gt: '>',
  lt: '<',
  quot: '"',
}

const REFERENCE = /&(?:(amp|apos|gt|lt|quot)|#(\d{1,8})|#[xX]([0-9a-fA-F]{1,6}));/g
const LAST_CODE_POINT = 0x10ffff

const incompleteReference = incompleteMatch(/&#?\w*$/)

/** Decodes the five named and the numeric references, each exactly once; all others are kept. [XML-6] */
export function decodeEntities(text: string): string {
  return text.includes('&')
    ? replaceEvery(text, REFERENCE, decodeReference, incompleteReference)
    : text
}

function decodeReference(reference: string, ...groups: (string | undefined)[]): string {
  const [name, decimal, hex] = groups
  if (name !== undefined) return named[name] ?? reference
  const codePoint = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal)
  return codePoint > LAST_CODE_POINT ? reference : String.fromCodePoint(codePoint)
}

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#x27;',
}

/** Escapes the five special characters of an attribute, like the old encoder. [XML-18] */
export function encodeEntities(text: string): string {
  return replaceEvery(text, /[&<>"']/g, (character) => escapes[character] ?? character)
}

/** Encodes one UTF-16 unit, which may be a lone surrogate, as a numeric reference. */
export function encodeReference(unit: string): string {
  return `&#${unit.charCodeAt(0)};`
}
