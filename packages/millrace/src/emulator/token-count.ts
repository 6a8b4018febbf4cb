/** A rough count of tokens, from length alone: four characters are about one. */
export function countTokens(text: string): number {
  return Math.ceil(text.length / 4)
}
