import type { Clock } from 'millrace-tools/recordings'

/** A clock that advances only during sleeps. */
export interface VirtualClock extends Clock {
  /** The requested duration of each sleep. */
  readonly sleeps: number[]
}

/** Creates a clock on which any wait ends at once. */
export function createVirtualClock(): VirtualClock {
  let nowMs = 0
  const sleeps: number[] = []
  return {
    sleeps,
    now: () => nowMs,
    sleep: async (ms) => {
      sleeps.push(ms)
      nowMs += ms
    },
  }
}
