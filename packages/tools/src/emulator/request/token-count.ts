/** Approximate number of characters in a token. */
export const charsPerToken = 4

export function countTokens(text: string): number {
  return Math.ceil(text.length / charsPerToken)
}
