/** Waits for a time, or until the signal aborts. */
export function sleep(delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const wake = (): void => {
      clearTimeout(timer)
      resolve()
    }
    const timer = setTimeout(wake, delayMs)
    signal.addEventListener('abort', wake, { once: true })
    if (signal.aborted) wake()
  })
}
