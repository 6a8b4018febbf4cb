interface Listeners<Values extends readonly unknown[]> {
  /** Adds a callback; returns a function that removes it. */
  readonly subscribe: (listener: (...values: Values) => void) => () => void
  readonly notify: (...values: Values) => void
  readonly size: () => number
  readonly clear: () => void
}

/** Creates an empty set of callbacks. `start` is called for the first of them, and its result after the last is removed. */
export function createListeners<Values extends readonly unknown[] = []>(
  start?: () => () => void,
): Listeners<Values> {
  const listeners = new Set<(...values: Values) => void>()
  let stop: (() => void) | undefined
  return {
    subscribe: (listener) => {
      listeners.add(listener)
      stop ??= start?.()
      return () => {
        listeners.delete(listener)
        if (listeners.size > 0) return
        stop?.()
        stop = undefined
      }
    },
    notify: (...values) => {
      for (const listener of listeners) listener(...values)
    },
    size: () => listeners.size,
    clear: () => listeners.clear(),
  }
}

/** Calls one of several callbacks. Rethrows its exception in a microtask, so that neither the caller nor the other callbacks fail. */
export function callApart(call: () => void): void {
  try {
    call()
  } catch (error) {
    queueMicrotask(() => {
      throw error
    })
  }
}
