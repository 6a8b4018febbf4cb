/** Node and browsers fire a timer at once when it is asked to wait longer than this. */
const LONGEST_TIMER_MS = 2_147_483_647

/** Why something did not run to its end. */
export type InterruptionCause = 'stopped' | 'timed_out'

/** A promise for the moment at which work must be given up. */
export interface Interruption {
  readonly cause: Promise<InterruptionCause>
  /** Forgets the timer and the signal. */
  dispose(): void
}

/** Watches a signal and a clock at once; nothing is left behind after `dispose`. */
export function watchInterruption(signal: AbortSignal, timeoutMs: number): Interruption {
  let timer: ReturnType<typeof setTimeout> | undefined
  let stop = () => {}
  const cause = new Promise<InterruptionCause>((resolve) => {
    stop = () => resolve('stopped')
    signal.addEventListener('abort', stop, { once: true })
    if (timeoutMs <= LONGEST_TIMER_MS) timer = setTimeout(() => resolve('timed_out'), timeoutMs)
  })
  return {
    cause,
    dispose() {
      clearTimeout(timer)
      signal.removeEventListener('abort', stop)
    },
  }
}
