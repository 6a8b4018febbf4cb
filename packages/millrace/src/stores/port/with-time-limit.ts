/**
 * Resolves as work does. After a time, rejects instead with the known reason of its delay, if there is one; without a time or a reason,
 * waits for the work.
 */
export function withTimeLimit<T>(
  work: Promise<T>,
  ms: number | undefined,
  reason: () => Error | undefined,
): Promise<T> {
  if (ms === undefined) return work
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      const known = reason()
      if (known !== undefined) reject(known)
    }, ms)
    work.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
