/** Tells a reader when its stream is over. */
export interface Completion {
  /** The id after which `[DONE]` follows; undefined while that is not known. */
  lastId(): number | undefined
  /** Tells that there will be no end to read: the reader is cut, and may come back. */
  isLost(): boolean
  /** Calls back when the answers above have changed; gives back what stops it. */
  onChange(listener: () => void): () => void
}

/** A completion that is not known yet. */
export interface CompletionSource extends Completion {
  reach(lastId: number): void
  lose(): void
}

/** The completion of a reader of what is there already. */
export function completedAt(lastId: number): Completion {
  return { lastId: () => lastId, isLost: () => false, onChange: () => () => {} }
}

/** Builds a completion that is reached or lost later, once. */
export function createCompletion(): CompletionSource {
  const listeners = new Set<() => void>()
  let reached: number | undefined
  let lost = false

  const tell = (): void => {
    for (const listener of listeners) listener()
    listeners.clear()
  }

  return {
    lastId: () => reached,
    isLost: () => lost,
    onChange: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    reach: (lastId) => {
      reached = lastId
      tell()
    },
    lose: () => {
      lost = true
      tell()
    },
  }
}
