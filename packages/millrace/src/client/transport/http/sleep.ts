/** Waits for a time, or until the signal aborts. */
export function sleep(delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const wake = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', wake)
      resolve()
    }
    const timer = setTimeout(wake, delayMs)
    signal.addEventListener('abort', wake)
    if (signal.aborted) wake()
  })
}
