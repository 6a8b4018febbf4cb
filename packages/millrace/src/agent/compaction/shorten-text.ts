/** Allowance for the note, so that a shortened text is never shortened again. */
const NOTE_CHARS = 160

/**
 * Truncates a text and appends the number of removed characters. A text that is only slightly longer stays unchanged.
 */
export function shortenText(text: string, maxChars: number): string {
  if (text.length <= maxChars + NOTE_CHARS) return text
  // Does not split a surrogate pair.
  const isPair = /[\ud800-\udbff]/.test(text.charAt(maxChars - 1))
  const end = isPair ? maxChars - 1 : maxChars
  const note = `\n[${text.length - end} more characters were left out to save room.]`
  // Copies the text: a slice would keep the whole original in memory.
  return ` ${text.slice(0, end)}${note}`.slice(1)
}
