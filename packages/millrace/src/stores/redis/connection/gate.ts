/** Releases all waiting callers at once. */
export function createGate() {
  const waiting = new Set<(isOpen: boolean) => void>()
  return {
    /** Resolves with true when the gate opens, with false after the timeout. */
    pass: (timeoutMs: number): Promise<boolean> =>
      new Promise((resolve) => {
        const settle = (isOpen: boolean): void => {
          clearTimeout(timer)
          waiting.delete(settle)
          resolve(isOpen)
        }
        const timer = setTimeout(() => settle(false), timeoutMs)
        waiting.add(settle)
      }),
    open: () => {
      for (const settle of waiting) settle(true)
    },
  }
}
