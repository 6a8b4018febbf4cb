import { agentOf } from 'millrace'
import type { LoggedFrame } from './frame-log.ts'
import type { Moments } from './moments.ts'
import { createFileReducer } from './reduce-frame.ts'

/** A place in a conversation: a block of an agent, by its position. */
export interface BlockPlace {
  readonly agent: string
  readonly position: number
}

/** The block that a frame has begun or changed, or the one that stands next to what it told; undefined if none can be known. */
export function findBlock(
  moments: Pick<Moments, 'transcriptAt' | 'earliest'>,
  frame: Pick<LoggedFrame, 'index' | 'agent' | 'type' | 'id' | 'data'>,
): BlockPlace | undefined {
  const { index, agent, type } = frame
  if (index < moments.earliest()) return undefined
  // Where something was missing before is no matter here.
  const transcript = { ...moments.transcriptAt(index), gapAfter: undefined }
  const before = agentOf(transcript, agent)?.blocks
  // The next moment may have been reduced apart from this one, and then shares no blocks with it.
  const after = agentOf(createFileReducer()(transcript, frame), agent)?.blocks
  if (!after) return undefined
  for (let position = after.length - 1; position >= 0; position--) {
    if (after.at(position) !== before?.at(position)) return { agent, position }
  }
  // What opens a run stands before its blocks, all else behind them.
  return { agent, position: type === 'meta_init' ? after.length : Math.max(0, after.length - 1) }
}
