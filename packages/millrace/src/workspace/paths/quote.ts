const LONGEST_QUOTE = 200

/** A text from a model in quotes, for a message: in one line, and not too long. */
export function quote(text: string): string {
  const isLong = text.length > LONGEST_QUOTE
  return JSON.stringify(isLong ? `${text.slice(0, LONGEST_QUOTE)}…` : text)
}
