/** Waits for a time, or for the function that is handed out. */
export function pause(delayMs: number, handOut: (wake: () => void) => void): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, delayMs)
    handOut(() => {
      clearTimeout(timer)
      resolve()
    })
  })
}
