/** Approximate number of characters in a token. */
export const charsPerToken = 4

/** Estimates the number of tokens from the length of a text. */
export function countTokens(text: string): number {
  return Math.ceil(text.length / charsPerToken)
}
