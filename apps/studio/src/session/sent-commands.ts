/** What was sent from this page to a call that waited. */
export interface SentWord {
  readonly deed: 'answer' | 'fail' | 'approve' | 'change' | 'refuse'
  /** The answer, or its beginning. */
  readonly content: string
  /** The server did not take it: the call had been answered, decided or given up. */
  readonly isLate: boolean
}

/** Remembers what was sent from this page, so that a call can tell when something else has counted. */
export interface SentWords {
  readonly subscribe: (listener: () => void) => () => void
  /** The latest that was sent to a call; the same object until that changes. */
  readonly get: (toolUseId: string) => SentWord | undefined
  readonly add: (toolUseId: string, word: Pick<SentWord, 'deed' | 'content'>) => void
  /** Notes that the latest word for a call came too late. */
  readonly markLate: (toolUseId: string) => void
}

/** As much of an answer as is kept, in characters. */
export const MAX_KEPT = 4_096

/** Creates a memory of what was sent; rows that leave the view lose theirs. The oldest words are forgotten first. */
export function createSentWords({ maxCalls = 200 } = {}): SentWords {
  const words = new Map<string, SentWord>()
  const listeners = new Set<() => void>()

  function set(toolUseId: string, word: SentWord): void {
    words.delete(toolUseId)
    words.set(toolUseId, word)
    const [oldest] = words.keys()
    if (words.size > maxCalls && oldest !== undefined) words.delete(oldest)
    for (const listener of listeners) listener()
  }

  return {
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    get: (toolUseId) => words.get(toolUseId),
    add: (toolUseId, { deed, content }) =>
      set(toolUseId, { deed, content: content.slice(0, MAX_KEPT), isLate: false }),
    markLate(toolUseId) {
      const word = words.get(toolUseId)
      if (word) set(toolUseId, { ...word, isLate: true })
    },
  }
}
