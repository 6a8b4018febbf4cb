/**
 * Calls back when a signal aborts, at once if it has. Returns a function that removes the callback. Without a signal
 * nothing happens.
 */
export function onAbort(signal: AbortSignal | undefined, callback: () => void): () => void {
  if (signal?.aborted === true) callback()
  else signal?.addEventListener('abort', callback, { once: true })
  return () => signal?.removeEventListener('abort', callback)
}
