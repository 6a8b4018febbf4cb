import { onAbort } from './on-abort.ts'

/** Waits for a promise; rejects with the signal's reason if it aborts first. */
export function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const settle = onAbort(signal, () => reject(signal.reason as Error))
    promise.then(resolve, reject).finally(settle)
  })
}
