/** A timeout combined with an abort signal. */
export interface TimeLimit {
  readonly signal: AbortSignal
  /** Whether the timeout expired; false if the signal aborted. */
  readonly isOver: boolean
  dispose(): void
}

/** Starts a timeout. `dispose` releases the timer. */
export function startTimeLimit(signal: AbortSignal, timeoutMs: number): TimeLimit {
  const controller = new AbortController()
  let isOver = false
  const timer = setTimeout(() => {
    isOver = true
    controller.abort()
  }, timeoutMs)
  const stop = (): void => controller.abort(signal.reason)
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  return {
    signal: controller.signal,
    get isOver() {
      return isOver
    },
    dispose() {
      clearTimeout(timer)
      signal.removeEventListener('abort', stop)
    },
  }
}
