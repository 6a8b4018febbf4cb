/** Tells whether the machine says that it has no network; false where nobody knows. */
export function isOffline(): boolean {
  return typeof navigator === 'object' && navigator.onLine === false
}

/** Waits for a time, for the network to come back, or for `wake`, which it hands out; whichever is first. */
export async function pause(delayMs: number, onWake: (wake: () => void) => void): Promise<void> {
  const { addEventListener, removeEventListener } = globalThis // Node has neither
  let stop = () => {}
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, delayMs)
    const wake = () => resolve()
    addEventListener?.('online', wake)
    stop = () => {
      clearTimeout(timer)
      removeEventListener?.('online', wake)
    }
    onWake(wake)
  })
  stop()
}
