/** The moment that is shown, as a number of frames; undefined for the present. */
export interface SelectedMoment {
  readonly get: () => number | undefined
  readonly set: (count: number | undefined) => void
  readonly subscribe: (listener: () => void) => () => void
}

/** Creates a selection of the present. */
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
