/** Wraps a listener so that its errors do not stop the caller. */
export function ignoreErrors<Args extends readonly unknown[]>(
  listen: (...args: Args) => void,
): (...args: Args) => void {
  return (...args) => {
    try {
      listen(...args)
    } catch {
      // There is no other listener to report to.
    }
  }
}
