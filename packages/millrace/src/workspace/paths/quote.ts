const LONGEST_QUOTE = 200

/** Quotes a model's text for a message, in one line of bounded length. */
export function quote(text: string): string {
  const isLong = text.length > LONGEST_QUOTE
  return JSON.stringify(isLong ? `${text.slice(0, LONGEST_QUOTE)}…` : text)
}
