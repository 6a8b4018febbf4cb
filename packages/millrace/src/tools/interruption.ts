import { LONGEST_TIMER_MS } from '../streams/index.ts'

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
