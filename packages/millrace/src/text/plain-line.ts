import { findHiddenCharacters } from './hidden-characters.ts'

/** Makes a text fit for one line of a log or a terminal: bounded, with a space for each run of a hidden character. */
export function toPlainLine(text: string, maxChars = 200): string {
  // A pair of surrogates is not parted.
  const start = text.slice(0, maxChars).replace(/[\uD800-\uDBFF]$/, '')
  const pieces = findHiddenCharacters(start, { isSingleLine: true })
  const plain = pieces.map((piece) => (piece.hidden ? ' ' : piece.text)).join('')
  return text.length > maxChars ? `${plain}…` : plain
}
