import { code } from '../characters.ts'

/** What the end of a feed may leave of an escape: `\u` waits for four hexadecimal digits and for nothing else. */
const TORN_ESCAPE = /\\(?:u[\da-f]{0,3})?$/i
const LONGEST_TORN = 5

/** Finds the quote that ends a JSON string, from a position where no escape is open; -1 if it has not come. */
export function findStringEnd(text: string, from: number): number {
  let quote = text.indexOf('"', from)
  while (quote !== -1 && isEscaped(text, from, quote)) quote = text.indexOf('"', quote + 1)
  return quote
}

/** Whether an odd number of backslashes stands before a position, counted from where no escape is open. */
export function isEscaped(text: string, from: number, position: number): boolean {
  let first = position
  while (first > from && text.charCodeAt(first - 1) === code.backslash) first--
  return (position - first) % 2 === 1
}

/**
 * Where the escape starts that the end of the text has cut; the end if it has cut none.
 *
 *     caf\u00
 *        ^
 */
export function tornEscapeStart(text: string, from: number): number {
  const earliest = Math.max(from, text.length - LONGEST_TORN)
  let last = text.length - 1
  while (last >= earliest && text.charCodeAt(last) !== code.backslash) last--
  if (last < earliest || isEscaped(text, from, last)) return text.length
  return TORN_ESCAPE.test(text.slice(last)) ? last : text.length
}
