/** Truncates a text to a number of characters without splitting a surrogate pair. */
export function truncate(text: string, most: number): string {
  if (text.length <= most) return text
  return `${text.slice(0, most).replace(/[\ud800-\udbff]$/, '')}…`
}
