/** Waits for work of others, but not past the abort of the signal; undefined if that came first. */
export function unlessAborted<Result>(
  work: Promise<Result> | Result,
  signal: AbortSignal,
): Promise<Result | undefined> {
  return new Promise((resolve, reject) => {
    const leave = () => resolve(undefined)
    if (signal.aborted) leave()
    signal.addEventListener('abort', leave, { once: true })
    Promise.resolve(work)
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', leave))
  })
}
