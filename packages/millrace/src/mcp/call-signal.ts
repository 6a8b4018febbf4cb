/** The abort signal of one request. */
export interface CallSignal {
  readonly signal: AbortSignal
  /** Detaches the signal from its source after the request. */
  dispose(): void
}

/**
 * Creates a signal for one request. The SDK sends a cancellation whenever a signal aborts, even after the response,
 * so requests cannot share a signal.
 */
export function createCallSignal(source: AbortSignal | undefined): CallSignal {
  const controller = new AbortController()
  const abort = () => controller.abort(source?.reason)
  if (source?.aborted === true) abort()
  source?.addEventListener('abort', abort, { once: true })
  return {
    signal: controller.signal,
    dispose: () => source?.removeEventListener('abort', abort),
  }
}
