/** The start of a text that is too long, up to the end of a line where there is one, and a word on the rest. */
export function keepHead(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text
  const end = text.lastIndexOf('\n', maxChars)
  const kept = end > 0 ? end : maxChars
  return `${text.slice(0, kept)}\n[${text.length - kept} more characters are left out]`
}
