import { agentOf, traitsOf } from 'millrace'
import type { LoggedFrame } from './frame-log.ts'
import type { Moments } from './moments.ts'
import { reduceFrame } from './reduce-frame.ts'

/** A block of an agent by its position. */
export interface BlockPlace {
  readonly agent: string
  readonly position: number
}

/** Returns the block that a frame began or changed, or the nearest one; undefined if it is unknown. */
export function findBlock(
  moments: Pick<Moments, 'transcriptAt' | 'earliest'>,
  frame: Pick<LoggedFrame, 'index' | 'agent' | 'type' | 'id' | 'data' | 'event'>,
): BlockPlace | undefined {
  const { index, agent, type } = frame
  if (index < moments.earliest()) return undefined
  const transcript = moments.transcriptAt(index)
  const before = agentOf(transcript, agent)?.blocks
  // The next moment may have been reduced separately and then shares no blocks with this one.
  const after = agentOf(reduceFrame(transcript, frame), agent)?.blocks
  if (!after) return undefined
  for (let position = after.length - 1; position >= 0; position--) {
    if (after.at(position) !== before?.at(position)) return { agent, position }
  }
  // The start of a run is before its blocks, other frames are after them.
  return {
    agent,
    position: traitsOf(type)?.startsRun ? after.length : Math.max(0, after.length - 1),
  }
}
