import { LONGEST_TIMER_MS, onAbort } from '../streams/index.ts'

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
  let detach = () => {}
  const cause = new Promise<InterruptionCause>((resolve) => {
    detach = onAbort(signal, () => resolve('stopped'))
    if (timeoutMs <= LONGEST_TIMER_MS) timer = setTimeout(() => resolve('timed_out'), timeoutMs)
  })
  return {
    cause,
    dispose() {
      clearTimeout(timer)
      detach()
    },
  }
}
