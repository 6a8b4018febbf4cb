import type { FrameTime } from './frame-log.ts'

/** Distinguishes history from live frames. */
export interface HistoryClock {
  /** Returns the time of a frame that arrives now, and whether it is live. */
  readonly read: () => FrameTime
  /** Marks the end of the history. */
  readonly finish: () => void
  /** Resolves at the end of the history. */
  readonly finished: Promise<void>
}

/** History arrives in one burst; frames after a gap of this length are live. */
const BURST_MS = 250

/** Creates the clock of a session with a history. */
export function createHistoryClock({ now = Date.now } = {}): HistoryClock {
  let last: number | undefined
  let isPast = true
  let settle = () => {}
  const finished = new Promise<void>((resolve) => {
    settle = resolve
  })

  function finish(): void {
    isPast = false
    settle()
  }

  return {
    finish,
    finished,
    read() {
      const time = now()
      if (last !== undefined && time - last > BURST_MS) finish()
      last = time
      return { time, isTimed: !isPast }
    },
  }
}
