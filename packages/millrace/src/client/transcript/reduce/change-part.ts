import { traitsOfEvent, type StreamEvent } from '../../../events/index.ts'
import { partOf, putPart } from './agent-blocks.ts'
import type { PieceBlock } from '../block.ts'
import type { AgentDraft, TranscriptDraft } from './draft.ts'
import { resume } from './run-status.ts'
import { openBlock } from './take-piece.ts'

/**
 * Changes the block that an item belongs to, open or not: the one with its id, or the latest text for a citation without one. An item
 * without its block opens it. [ENV-8] [LIFE-3] [LIFE-4] [LIFE-11]
 */
export function changePart(
  next: TranscriptDraft,
  agent: AgentDraft,
  event: StreamEvent,
  change: (block: PieceBlock) => Partial<PieceBlock>,
): void {
  const { type, wireId } = event
  const owner = traitsOfEvent(type)!.partOf!
  const { blocks } = agent
  // A result stands alone or under its call.
  let position = blocks.find(owner + wireId)
  if (position === blocks.length)
    position = blocks.find((traitsOfEvent(owner)!.answers ?? owner) + wireId)
  if (!partOf(blocks.at(position), owner))
    position = openBlock(next, agent, owner, wireId, { ...event, text: '', end: false })
  const block = partOf(agent.blocks.at(position), owner)!
  putPart(agent, position, { ...block, ...change(block) })
  resume(next, agent.id, wireId)
}
