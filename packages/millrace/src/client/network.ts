/** Tells whether the machine says that it has no network; false where nobody knows. */
export function isOffline(): boolean {
  const { onLine } = (globalThis.navigator ?? {}) as { readonly onLine?: boolean } // Node has none
  return onLine === false
}

/** Waits for a time, for the network to come back, or for the function that is handed out; whichever is first. */
export function pause(delayMs: number, handOut: (wake: () => void) => void): Promise<void> {
  const { addEventListener: listen, removeEventListener: forget } = globalThis // Node has neither
  return new Promise((resolve) => {
    const wake = (): void => {
      clearTimeout(timer)
      forget?.('online', wake)
      resolve()
    }
    const timer = setTimeout(wake, delayMs)
    listen?.('online', wake)
    handOut(wake)
  })
}
