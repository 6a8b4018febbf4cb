/**
 * Calls one of several callbacks. Rethrows its exception in a microtask, so that neither the caller nor the other
 * callbacks fail.
 */
export function callApart(call: () => void): void {
  try {
    call()
  } catch (error) {
    queueMicrotask(() => {
      throw error
    })
  }
}
