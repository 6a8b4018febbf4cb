import { redactText } from '../outbound/index.ts'

/** What may still be written down of a conversation, in UTF-16 units. */
export interface ContentBudget {
  readonly isSpent: boolean
  /** Takes a text without its secrets, or as much of it as there is room for. */
  take(text: string): string
}

const CUT = '…'

/** Creates a budget, so that no attribute grows with its conversation. */
export function createContentBudget(maxChars: number): ContentBudget {
  let left = maxChars
  return {
    get isSpent() {
      return left <= 0
    },
    take(text) {
      const room = Math.max(0, left)
      // Twice the length is read, so that a secret at the cut is still recognized.
      const safe = room === 0 ? '' : redactText(text.slice(0, room * 2))
      const taken = text.length <= left ? safe : safe.slice(0, room) + CUT
      left -= text.length
      return taken
    },
  }
}
