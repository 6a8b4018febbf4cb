import { findHiddenCharacters } from './hidden-characters.ts'

/** Converts a text to one bounded line for a log or a terminal. Each run of a hidden character becomes a space. */
export function toPlainLine(text: string, maxChars = 200): string {
  // Does not split a surrogate pair.
  const start = text.slice(0, maxChars).replace(/[\uD800-\uDBFF]$/, '')
  const pieces = findHiddenCharacters(start, { isSingleLine: true })
  const plain = pieces.map((piece) => (piece.hidden ? ' ' : piece.text)).join('')
  return text.length > maxChars ? `${plain}…` : plain
}
