import type { Block, PieceBlock } from '../block.ts'
import { type AgentDraft, draftReducerState } from './draft.ts'
import type { GrowingBlock } from './grow-block.ts'

/** Returns the position of the open block with a key, or the one after all blocks. [ENV-7] */
export function findOpen(agent: AgentDraft, type: string, id = ''): number {
  for (const position of agent.reducer.open) {
    const part = partOf(agent.blocks.at(position), type)
    if (part?.id === id && !part.done) return position
  }
  return agent.blocks.length
}

/** Returns the block, or its result if that has the type. */
export function partOf(block: Block | undefined, type: string): GrowingBlock | undefined {
  const part = block?.type === type ? block : block?.result
  return part?.type === type ? (part as GrowingBlock) : undefined
}

/** Puts a block at a position, or a result under the call at the position. */
export function putPart(agent: AgentDraft, position: number, part: PieceBlock): void {
  const { blocks } = agent
  const found = blocks.at(position)
  const block = found && found.type !== part.type ? ({ ...found, result: part } as Block) : part
  agent.blocks = blocks.set(position, block)
}

/** Closes the open blocks of an interrupted run. */
export function interruptBlocks(agent: AgentDraft): void {
  for (const position of agent.reducer.open) {
    const block = agent.blocks.at(position)
    if (block) agent.blocks = agent.blocks.set(position, interrupt(block))
  }
  draftReducerState(agent).open = []
}

function interrupt<T extends Block>(block: T): T {
  const { result } = block
  return {
    ...block,
    done: true,
    interrupted: block.interrupted || !block.done,
    result: result && interrupt(result),
  }
}
