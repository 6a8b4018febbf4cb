/** Truncates a text, at the end of a line if possible, and appends the number of omitted characters. */
export function truncateText(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text
  const end = text.lastIndexOf('\n', maxChars)
  const kept = end > 0 ? end : maxChars
  return `${text.slice(0, kept)}\n[${text.length - kept} more characters omitted]`
}
