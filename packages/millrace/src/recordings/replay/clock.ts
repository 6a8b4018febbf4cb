/** What a replay measures time with. */
export interface Clock {
  /** Milliseconds, never fewer than before. */
  now(): number
  /** Waits; ends at once, without an error, when the signal aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>
}

/** The clock of this machine. */
export const systemClock: Clock = {
  now: () => performance.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal.aborted) return resolve()
      const finish = (): void => {
        clearTimeout(timer)
        signal.removeEventListener('abort', finish)
        resolve()
      }
      const timer = setTimeout(finish, ms)
      signal.addEventListener('abort', finish)
    }),
}
