/** What may still be written down of a conversation, in UTF-16 units. */
export interface ContentBudget {
  readonly isSpent: boolean
  /** Takes a text, or as much of it as there is room for. */
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
      const taken = text.length <= left ? text : text.slice(0, Math.max(0, left)) + CUT
      left -= text.length
      return taken
    },
  }
}
