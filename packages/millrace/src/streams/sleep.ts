import { onAbort } from './on-abort.ts'

/** Longest delay of a timer, about 25 days. Node and browsers fire a longer timer immediately. */
export const LONGEST_TIMER_MS = 2_147_483_647

/**
 * Waits `ms` milliseconds; Infinity waits until the signal aborts. Resolves at once, without an error, when the
 * signal aborts.
 */
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
