/** Characters that a terminal would obey, and those that hide or reorder others. */
const unprintable = /[\p{Cc}\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu

/** Makes a text that people or programs wrote fit for one line of a log or a terminal. */
export function toPlainLine(text: string, maxChars = 200): string {
  // A pair of surrogates is not parted.
  const start = text.slice(0, maxChars).replace(/[\uD800-\uDBFF]$/, '')
  const plain = start.replace(unprintable, ' ')
  return text.length > maxChars ? `${plain}…` : plain
}
