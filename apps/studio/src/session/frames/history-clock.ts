import type { FrameTime } from './frame-log.ts'

/** Tells frames that are read after the fact from those that come as they happen. */
export interface HistoryClock {
  /** When a frame came that is there now, and whether that says when it happened. */
  readonly read: () => FrameTime
  /** All that had happened was read. */
  readonly finish: () => void
  /** Settles then. */
  readonly finished: Promise<void>
}

/** History comes in one burst; after a silence of this length, what comes is new. */
const BURST_MS = 250

/** Creates the clock of a session that is opened with a history. */
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
