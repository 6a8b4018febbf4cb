import { redactText } from '../../outbound/index.ts'
import { toPlainLine } from '../../text/index.ts'

/** Covers keys and tokens in a text before any of it is cut off, and bounds what is left. */
export function toLoggedText(text: string, maxChars: number, secrets: readonly string[]): string {
  // Twice the length is looked at, so that a key on the edge is still known for one.
  return toPlainLine(redactText(text.slice(0, maxChars * 2), secrets), maxChars)
}
