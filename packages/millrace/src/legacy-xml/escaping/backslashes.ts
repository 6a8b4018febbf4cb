import { replaceEvery, incompletePair } from './replace-every.ts'

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
