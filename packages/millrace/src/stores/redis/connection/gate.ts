/** Lets those who wait for something go on together when it happens. */
export interface Gate {
  /** Resolves with true when the gate opens, with false when the time is over. */
  pass(timeoutMs: number): Promise<boolean>
  /** Lets through all who wait now. */
  open(): void
}

/** Builds a gate that is closed. */
export function createGate(): Gate {
  const waiting = new Set<(isOpen: boolean) => void>()
  return {
    pass: (timeoutMs) =>
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
