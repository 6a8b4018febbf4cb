/** Tells a reader when its stream is over. */
export interface Goal {
  /** The id after which `[DONE]` follows; undefined while that is not known. */
  lastId(): number | undefined
  /** Tells that there will be no end to read: the reader is cut, and may come back. */
  isLost(): boolean
  /** Calls back when the answers above have changed; gives back what stops it. */
  onChange(listener: () => void): () => void
}

/** A goal that is not known yet. */
export interface OpenGoal extends Goal {
  reach(lastId: number): void
  lose(): void
}

/** The goal of a reader of what is there already. */
export function toFixedGoal(lastId: number): Goal {
  return { lastId: () => lastId, isLost: () => false, onChange: () => () => {} }
}

/** Builds a goal that is reached or lost later, once. */
export function createOpenGoal(): OpenGoal {
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
