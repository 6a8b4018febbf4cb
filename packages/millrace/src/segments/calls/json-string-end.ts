import { code } from '../characters.ts'

/**
 * An incomplete escape at the end of a feed: only `\u` waits for more than one character, four hexadecimal digits.
 */
const INCOMPLETE_ESCAPE = /\\(?:u[\da-f]{0,3})?$/i
const LONGEST_INCOMPLETE = 5

/** Finds the quote that ends a JSON string, from a position outside an escape; -1 if there is none yet. */
export function findStringEnd(text: string, from: number): number {
  let quote = text.indexOf('"', from)
  while (quote !== -1 && isEscaped(text, from, quote)) quote = text.indexOf('"', quote + 1)
  return quote
}

/** Checks whether an odd number of backslashes precedes a position, counted from a position outside an escape. */
export function isEscaped(text: string, from: number, position: number): boolean {
  let first = position
  while (first > from && text.charCodeAt(first - 1) === code.backslash) first--
  return (position - first) % 2 === 1
}

/**
 * Returns the start of an escape that the end of the text has cut; otherwise the end.
 * caf\u00
 * ^
 */
export function incompleteEscapeStart(text: string, from: number): number {
  const earliest = Math.max(from, text.length - LONGEST_INCOMPLETE)
  let last = text.length - 1
  while (last >= earliest && text.charCodeAt(last) !== code.backslash) last--
  if (last < earliest || isEscaped(text, from, last)) return text.length
  return INCOMPLETE_ESCAPE.test(text.slice(last)) ? last : text.length
}
