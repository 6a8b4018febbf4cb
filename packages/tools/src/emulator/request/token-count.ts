/** Approximate number of characters in a token. */
export const charsPerToken = 4

/** Estimates the tokens of a text from its length. */
export function countTokens(text: string): number {
  return Math.ceil(text.length / charsPerToken)
}
