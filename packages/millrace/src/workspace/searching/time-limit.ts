/** A bound on how long something takes, together with the signal that may end it sooner. */
export interface TimeLimit {
  readonly signal: AbortSignal
  /** Whether the time is over; false if it was stopped for another reason. */
  readonly isOver: boolean
  dispose(): void
}

/** Starts the clock; `dispose` forgets it. */
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
