/** Calls back when a signal aborts, at once if it has. Returns a function that removes the callback. Without a signal nothing happens. */
export function onAbort(signal: AbortSignal | undefined, callback: () => void): () => void {
  if (signal?.aborted === true) callback()
  else signal?.addEventListener('abort', callback, { once: true })
  return () => signal?.removeEventListener('abort', callback)
}

/** Waits for work; undefined if the signal aborts first. */
export function awaitOrAbort<Result>(
  work: Promise<Result> | Result,
  signal: AbortSignal,
): Promise<Result | undefined> {
  return new Promise((resolve, reject) => {
    const settle = onAbort(signal, () => resolve(undefined))
    Promise.resolve(work).then(resolve, reject).finally(settle)
  })
}

/** Longest delay of a timer, about 25 days. Node and browsers fire a longer timer immediately. */
export const LONGEST_TIMER_MS = 2_147_483_647

/** Waits `ms` milliseconds; Infinity waits until the signal aborts. Resolves at once, without an error, when the signal aborts. */
export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      leave()
      resolve()
    }
    const timer = setTimeout(end, Math.min(ms, LONGEST_TIMER_MS))
    const leave = onAbort(signal, () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
