import type { FrameLog } from '../../session/frames/index.ts'
import { createTimelineModel } from './timeline-model.ts'
import type { Run } from './timeline.ts'

/** The runs of a log at a moment; they grow in place. */
export interface TimelineSnapshot {
  readonly runs: readonly Run[]
  /** How much of the log was read, from 0 to 1. */
  readonly part: number
}

/** Reads a log into a timeline as it grows, a slice at a time. */
export interface TimelineFeed {
  readonly subscribe: (listener: () => void) => () => void
  /** Another object when something changed. */
  readonly getSnapshot: () => TimelineSnapshot
}

/** How many frames are read before the page has its turn: some 10 ms. */
const SLICE = 4_000

/** Creates a feed that reads while someone listens. */
export function createTimelineFeed(
  log: FrameLog,
  later: (work: () => void) => unknown = (work) => setTimeout(work),
): TimelineFeed {
  const listeners = new Set<() => void>()
  let model = createTimelineModel()
  let next = 0
  let timesVersion = -1
  let snapshot: TimelineSnapshot = { runs: [], part: 1 }
  let isDue = false
  /** Times have changed: what was drawn stays in view until all is read again. */
  let isAnew = false
  let unsubscribe: (() => void) | undefined

  function beginAnew(first: number): void {
    model.forgetBefore(first)
    // A run keeps its number, also when those before it are gone.
    model = createTimelineModel(model.runs[0]?.number)
    next = 0
    isAnew = snapshot.runs.length > 0
  }

  function publish(left: number, count: number): void {
    isAnew = false
    snapshot = { runs: [...model.runs], part: count === 0 ? 1 : 1 - left / count }
    for (const listener of listeners) listener()
  }

  function read(): void {
    isDue = false
    const { frames, timesVersion: version } = log.getSnapshot()
    const first = frames[0]?.index ?? 0
    if (version !== timesVersion) {
      timesVersion = version
      beginAnew(first)
    }
    next = Math.max(next, first)
    const slice = frames.slice(next - first, next - first + SLICE)
    for (const frame of slice) model.add(frame)
    next += slice.length
    model.forgetBefore(first)
    const left = first + frames.length - next
    if (left === 0 || !isAnew) publish(left, frames.length)
    if (left > 0) schedule()
  }

  function schedule(): void {
    if (isDue || listeners.size === 0) return
    isDue = true
    later(read)
  }

  return {
    getSnapshot: () => snapshot,
    subscribe(listener) {
      listeners.add(listener)
      unsubscribe ??= log.subscribe(schedule)
      schedule()
      return () => {
        listeners.delete(listener)
        if (listeners.size > 0) return
        unsubscribe?.()
        unsubscribe = undefined
      }
    },
  }
}

/** Reads a whole log at once. */
export function toRuns({
  frames,
}: Pick<ReturnType<FrameLog['getSnapshot']>, 'frames'>): readonly Run[] {
  const model = createTimelineModel()
  for (const frame of frames) model.add(frame)
  return model.runs
}
