import type { FrameLog } from '../../session/frames/index.ts'
import { createListeners } from '../../ui/index.ts'
import { createTimelineModel } from './timeline-model.ts'
import type { Run } from './timeline.ts'

/** Runs of a log at one time; they grow in place. */
interface TimelineSnapshot {
  readonly runs: readonly Run[]
  /** Part of the log that was read, from 0 to 1. */
  readonly part: number
}

/** Reads a growing log into a timeline in slices. */
export interface TimelineFeed {
  readonly subscribe: (listener: () => void) => () => void
  /** Another object after each change. */
  readonly getSnapshot: () => TimelineSnapshot
}

/** The number of frames that are read at a time, for about 10 ms. */
const SLICE = 4_000

/** Creates a feed that reads while it has listeners. */
export function createTimelineFeed(
  log: FrameLog,
  later: (work: () => void) => unknown = (work) => setTimeout(work),
): TimelineFeed {
  const listeners = createListeners(() => {
    schedule()
    return log.subscribe(schedule)
  })
  let model = createTimelineModel()
  let next = 0
  let timesVersion = -1
  let snapshot: TimelineSnapshot = { runs: [], part: 1 }
  let isDue = false
  /** Times have changed; the drawn runs stay until all frames are read again. */
  let isRestarting = false

  function restart(first: number): void {
    model.forgetBefore(first)
    // A run keeps its number when earlier runs are gone.
    model = createTimelineModel(model.runs[0]?.number)
    next = 0
    isRestarting = snapshot.runs.length > 0
  }

  function publish(left: number, count: number): void {
    isRestarting = false
    snapshot = { runs: [...model.runs], part: count === 0 ? 1 : 1 - left / count }
    listeners.notify()
  }

  function read(): void {
    isDue = false
    const { frames, timesVersion: version } = log.getSnapshot()
    const first = frames[0]?.index ?? 0
    if (version !== timesVersion) {
      timesVersion = version
      restart(first)
    }
    next = Math.max(next, first)
    const slice = frames.slice(next - first, next - first + SLICE)
    for (const frame of slice) model.add(frame)
    next += slice.length
    model.forgetBefore(first)
    const left = first + frames.length - next
    if (left === 0 || !isRestarting) publish(left, frames.length)
    if (left > 0) schedule()
  }

  function schedule(): void {
    if (isDue || listeners.size() === 0) return
    isDue = true
    later(read)
  }

  return {
    getSnapshot: () => snapshot,
    subscribe: listeners.subscribe,
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
