/** The beginning of a text that is longer than there is room for, in characters; never half of one. */
export function truncate(text: string, most: number): string {
  if (text.length <= most) return text
  return `${text.slice(0, most).replace(/[\ud800-\udbff]$/, '')}…`
}
