/** Which moment of a conversation is shown: so many frames from the first of all, or undefined for now. */
export interface SelectedMoment {
  readonly get: () => number | undefined
  readonly set: (count: number | undefined) => void
  readonly subscribe: (listener: () => void) => () => void
}

/** Creates a moment that is now. */
export function createSelectedMoment(): SelectedMoment {
  const listeners = new Set<() => void>()
  let shown: number | undefined
  return {
    get: () => shown,
    set(count) {
      if (count === shown) return
      shown = count
      for (const listener of listeners) listener()
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
