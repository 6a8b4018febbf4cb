import { onAbort } from '../../streams/index.ts'

/** A timeout combined with an abort signal. */
interface TimeLimit {
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
  const detach = onAbort(signal, () => controller.abort(signal.reason))
  return {
    signal: controller.signal,
    get isOver() {
      return isOver
    },
    dispose() {
      clearTimeout(timer)
      detach()
    },
  }
}
