/** Holds tools back while requests of a case are in transit. */
export interface ToolGate {
  /** Holds tools back until the returned function is called. */
  hold(): () => void
  /** Resolves when nothing holds tools back. */
  opened(): Promise<void>
}

/** Creates an open gate. */
export function createToolGate(): ToolGate {
  const holds = new Set<object>()
  let wake: (() => void)[] = []
  return {
    hold: () => {
      const hold = {}
      holds.add(hold)
      return () => {
        holds.delete(hold)
        if (holds.size > 0) return
        for (const resolve of wake) resolve()
        wake = []
      }
    },
    opened: () =>
      holds.size === 0 ? Promise.resolve() : new Promise((resolve) => wake.push(resolve)),
  }
}
