/** Calls back once, when there is something to look at or something went wrong. */
export interface Waitable {
  wait(onReady: () => void, onError: (error: unknown) => void): void
}

/** Resolves when there is something to look at, where a promise for it does not cost too much. */
export function untilReady(waitable: Waitable): Promise<void> {
  return new Promise((resolve, reject) => waitable.wait(resolve, reject))
}
