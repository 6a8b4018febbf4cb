import type { Clock } from 'millrace-tools/recordings'

/** A clock that stands still unless someone sleeps. */
export interface VirtualClock extends Clock {
  /** How long each sleep was asked to be. */
  readonly sleeps: number[]
}

/** Creates a clock on which any wait is over at once. */
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
