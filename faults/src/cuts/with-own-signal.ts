/** Calls work with a separate signal: requests leave listeners on their signal, and a trial makes very many. */
export async function withOwnSignal<Result>(
  signal: AbortSignal,
  work: (own: AbortSignal) => Promise<Result>,
): Promise<Result> {
  signal.throwIfAborted()
  const controller = new AbortController()
  const abort = (): void => controller.abort(signal.reason)
  signal.addEventListener('abort', abort)
  try {
    return await work(controller.signal)
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
