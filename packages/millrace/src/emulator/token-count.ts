/** About how many characters a token has. */
export const charsPerToken = 4

/** A rough count of tokens, from length alone. */
export function countTokens(text: string): number {
  return Math.ceil(text.length / charsPerToken)
}
