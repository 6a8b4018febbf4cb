/**
 * Calls back one of many. What it throws is caught by nobody, as if it had been called alone: neither those who are
 * called after it nor whoever calls are to suffer for it.
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
