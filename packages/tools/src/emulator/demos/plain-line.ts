/** Characters that Markdown may interpret as markup in the middle of a line. */
const markup = /[\\`*_[\]<>&~|$]/g

/** Converts a user's text to one short line without markup. */
export function toPlainLine(text: string, maxChars: number): string {
  // A character has at most two UTF-16 units, and white space is rarely the larger part of a text.
  const line = text
    .slice(0, maxChars * 4)
    .replaceAll(/[\s\p{Cc}\u202A-\u202E\u2066-\u2069]+/gu, ' ')
    .trim()
  const characters = Array.from(line)
  const isWhole = characters.length <= maxChars && text.length <= maxChars * 4
  const shown = isWhole ? line : `${characters.slice(0, maxChars).join('').trimEnd()}…`
  return shown.replaceAll(markup, String.raw`\$&`)
}
