import { redactText } from '../../outbound/index.ts'
import { toPlainLine } from '../../text/index.ts'

/** Masks keys and tokens in a text before it is truncated. */
export function toLoggedText(text: string, maxChars: number, secrets: readonly string[]): string {
  // Masks twice the length, so that a key at the edge is still recognised.
  return toPlainLine(redactText(text.slice(0, maxChars * 2), secrets), maxChars)
}
