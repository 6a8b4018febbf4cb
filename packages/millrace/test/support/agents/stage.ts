/** Holds everything that takes time until it is released. */
export interface Stage {
  /** Waits to be let through; an abort lets through at once. */
  pass(signal?: AbortSignal): Promise<void>
  /** How many wait. */
  waiting(): number
  /** Releases one of them. */
  release(index: number): void
  /** Forgets all who wait, as the death of a process does. */
  clear(): void
}

/** Creates a stage: the order of all that happens is the caller's to choose. */
export function createStage(): Stage {
  let gates: (() => void)[] = []
  return {
    pass: (signal) =>
      new Promise((resolve) => {
        const open = () => {
          gates = gates.filter((gate) => gate !== open)
          signal?.removeEventListener('abort', open)
          resolve()
        }
        if (signal?.aborted === true) return resolve()
        signal?.addEventListener('abort', open, { once: true })
        gates.push(open)
      }),
    waiting: () => gates.length,
    release: (index) => gates[index % gates.length]?.(),
    clear: () => {
      gates = []
    },
  }
}

/** Runs everything that needs no more time. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
