/** A signal for one request. */
export interface CallSignal {
  readonly signal: AbortSignal
  /** Cuts it off from the other, once the request is over. */
  dispose(): void
}

/** The SDK cancels a request whenever its signal aborts, even long after the answer; so each gets a signal of its own. */
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
