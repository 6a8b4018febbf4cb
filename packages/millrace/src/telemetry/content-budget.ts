import { redactText } from '../outbound/index.ts'

/** A remaining length for recorded content, in UTF-16 units. */
export interface ContentBudget {
  readonly isSpent: boolean
  /** Returns a text with secrets masked, truncated to the remaining length. */
  take(text: string): string
}

const CUT = '…'

/** Creates a budget that bounds the length of an attribute. */
export function createContentBudget(maxChars: number): ContentBudget {
  let left = maxChars
  return {
    get isSpent() {
      return left <= 0
    },
    take(text) {
      const room = Math.max(0, left)
      // Reads twice the length, so that a secret at the end is still recognised.
      const safe = room === 0 ? '' : redactText(text.slice(0, room * 2))
      const taken = text.length <= left ? safe : safe.slice(0, room) + CUT
      left -= text.length
      return taken
    },
  }
}
