/** Holds every delay until it is released. */
export interface Stage {
  /** Waits for its release; an abort releases at once. */
  pass(signal?: AbortSignal): Promise<void>
  /** The number of held delays. */
  waiting(): number
  /** Releases one of them. */
  release(index: number): void
  /** Drops all held delays, like the death of a process. */
  clear(): void
}

/** Creates a stage: the caller chooses the order of all operations. */
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
