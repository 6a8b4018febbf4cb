import { onAbort } from '../streams/index.ts'

/** Awaits other work until the signal aborts; undefined if it aborts first. */
export function unlessAborted<Result>(
  work: Promise<Result> | Result,
  signal: AbortSignal,
): Promise<Result | undefined> {
  return new Promise((resolve, reject) => {
    const settle = onAbort(signal, () => resolve(undefined))
    Promise.resolve(work).then(resolve, reject).finally(settle)
  })
}
