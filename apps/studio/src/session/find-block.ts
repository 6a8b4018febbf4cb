import { agentOf } from 'millrace'
import type { BlockPlace } from '../chat/find/find-blocks.ts'
import type { LoggedFrame } from './frame-log.ts'
import type { Moments } from './moments.ts'

/** The block that a frame has begun or changed, or the one that stands next to what it told; undefined if none can be known. */
export function findBlock(
  moments: Pick<Moments, 'transcriptAt' | 'earliest'>,
  { index, agent, type }: Pick<LoggedFrame, 'index' | 'agent' | 'type'>,
): BlockPlace | undefined {
  if (index < moments.earliest()) return undefined
  const before = agentOf(moments.transcriptAt(index), agent)?.blocks
  const after = agentOf(moments.transcriptAt(index + 1), agent)?.blocks
  if (!after) return undefined
  for (let position = after.length - 1; position >= 0; position--) {
    if (after.at(position) !== before?.at(position)) return { agent, position }
  }
  // What opens a run stands before its blocks, all else behind them.
  return { agent, position: type === 'meta_init' ? after.length : Math.max(0, after.length - 1) }
}
