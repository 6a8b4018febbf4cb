import { LONGEST_TIMER_MS } from '../streams/index.ts'

/** The reason why a tool was interrupted. */
export type InterruptionCause = 'stopped' | 'timed_out'

/** A pending interruption by a signal or a timeout. */
export interface Interruption {
  readonly cause: Promise<InterruptionCause>
  /** Removes the timer and the listener. */
  dispose(): void
}

/** Waits for a signal or a timeout. `dispose` releases both. */
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
