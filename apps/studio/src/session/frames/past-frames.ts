import { createListeners } from '../../ui/index.ts'
import type { FrameLog, FrameLogSnapshot, LoggedFrame } from './frame-log.ts'

/** A log after some of its frames. */
export interface PastFrames {
  readonly log: FrameLog
  /** Shows the frames up to a count. */
  readonly show: (count: number) => void
}

/** Creates an empty view of a log's past. */
export function createPastFrames(whole: FrameLog): PastFrames {
  const listeners = createListeners()
  let snapshot = toPast(whole.getSnapshot(), 0)
  return {
    show(count) {
      snapshot = toPast(whole.getSnapshot(), count)
      listeners.notify()
    },
    log: {
      add: whole.add,
      setTimes: () => {},
      subscribe: listeners.subscribe,
      getSnapshot: () => snapshot,
    },
  }
}

function toPast(now: FrameLogSnapshot, count: number): FrameLogSnapshot {
  const dropped = now.frames[0]?.index ?? 0
  const frames = now.frames.slice(0, Math.max(0, count - dropped))
  const { types, agents, bytes } = summarise(frames)
  // Only the total size of dropped frames is known.
  const droppedBytes = dropped > 0 ? now.bytes - summarise(now.frames).bytes : 0
  return {
    ...now,
    frames,
    total: dropped + frames.length,
    bytes: droppedBytes + bytes,
    types,
    agents,
  }
}

function summarise(frames: readonly LoggedFrame[]) {
  const types = new Map<string, number>()
  const agents = new Set<string>()
  let bytes = 0
  for (const frame of frames) {
    types.set(frame.type, (types.get(frame.type) ?? 0) + 1)
    if (frame.agent) agents.add(frame.agent)
    bytes += frame.bytes
  }
  return { types, agents: [...agents], bytes }
}
