/** Room for notes, so that a text that was shortened is never shortened again. */
const NOTE_CHARS = 160

/** Keeps the beginning of a text and says how much is gone; a text that is hardly longer stays as it is. */
export function shortenText(text: string, maxChars: number): string {
  if (text.length <= maxChars + NOTE_CHARS) return text
  // Half a surrogate pair is no character.
  const isPair = /[\ud800-\udbff]/.test(text.charAt(maxChars - 1))
  const end = isPair ? maxChars - 1 : maxChars
  const note = `\n[${text.length - end} more characters were left out to save room.]`
  // A slice would keep the whole text alive; this copies it.
  return ` ${text.slice(0, end)}${note}`.slice(1)
}
