import { onAbort } from './on-abort.ts'

/** Waits for work; undefined if the signal aborts first. */
export function unlessAborted<Result>(
  work: Promise<Result> | Result,
  signal: AbortSignal,
): Promise<Result | undefined> {
  return new Promise((resolve, reject) => {
    const settle = onAbort(signal, () => resolve(undefined))
    Promise.resolve(work).then(resolve, reject).finally(settle)
  })
}
