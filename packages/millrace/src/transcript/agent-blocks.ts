import { note } from './agent-book.ts'
import type { Block, ContentBlock, ResultBlock } from './block.ts'
import type { AgentDraft } from './draft.ts'
import { NOWHERE } from './find-place.ts'
import type { GrowingBlock } from './grow-block.ts'

/** The position of the open block of a key. [ENV-7] */
export function findOpen(agent: AgentDraft, type: string, id = ''): number {
  for (const position of agent.book.open) {
    const part = partAt(agent, position, type)
    if (part?.id === id && !part.done) return position
  }
  return NOWHERE
}

/** The block of a type that stands at a position, or under it, as a result does under its call. */
export function partAt(
  { blocks }: AgentDraft,
  position: number,
  type: string,
): GrowingBlock | undefined {
  const block = blocks.at(position)
  const part = block?.type === type ? block : block?.result
  return part?.type === type ? (part as GrowingBlock) : undefined
}

/** Puts a block at a position, or a result under the call that stands there. */
export function putPart(agent: AgentDraft, position: number, part: ContentBlock): void {
  const { blocks, book } = agent
  const found = blocks.at(position)
  const block = found && found.type !== part.type ? ({ ...found, result: part } as Block) : part
  agent.blocks = blocks.set(position, block)
  const isOpen = !block.done || block.result?.done === false
  if (isOpen === book.open.includes(position)) return
  const others = book.open.filter((other) => other !== position)
  note(agent, { open: isOpen ? [...others, position] : others })
}

/** Closes what is open, because its run was cut. */
export function interruptBlocks(agent: AgentDraft): void {
  for (const position of agent.book.open) {
    const block = agent.blocks.at(position)
    if (block) agent.blocks = agent.blocks.set(position, interrupt(block))
  }
  note(agent, { open: [] })
}

/** Tells whether a block is a result. */
export function isResult(block: Block): block is ResultBlock {
  return block.type.endsWith('result')
}

function interrupt<T extends Block>(block: T): T {
  const { done, interrupted, result } = block
  return {
    ...block,
    done: true,
    interrupted: interrupted || !done,
    result: result && interrupt(result),
  }
}
