/** Longest delay of a timer, about 25 days. Node and browsers fire a longer timer immediately. */
const LONGEST_TIMER_MS = 2_147_483_647

/**
 * Waits `ms` milliseconds; Infinity waits until the signal aborts. Resolves at once, without an error, when the
 * signal aborts.
 */
export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const finish = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', finish)
      resolve()
    }
    const timer = setTimeout(finish, Math.min(ms, LONGEST_TIMER_MS))
    signal.addEventListener('abort', finish)
  })
}
