import { note } from './agent-book.ts'
import type { Block } from './block.ts'
import type { ContentBlock } from './grow-block.ts'
import type { AgentDraft } from './draft.ts'

/** The position of the open block of a key. [ENV-7] */
export function findOpen(
  agent: AgentDraft,
  type: ContentBlock['type'],
  id = '',
): number | undefined {
  for (const position of agent.book.open) {
    const part = partAt(agent, position, type)
    if (part?.done === false && part.type === type && part.id === id) return position
  }
  return undefined
}

/** The block at a position, or the result under it if that is what is asked for. */
export function partAt(
  { blocks }: AgentDraft,
  position: number,
  type: ContentBlock['type'],
): ContentBlock | undefined {
  const block = blocks.at(position)
  const part = block && block.type !== type && 'result' in block ? block.result : block
  return part?.type === 'error' ? undefined : part
}

/** Puts a block at a position, or a result under the call that stands there. */
export function putPart(agent: AgentDraft, position: number, part: Block): void {
  const { blocks, book } = agent
  const call = blocks.at(position)
  const isUnder = call && 'result' in call && 'images' in part
  const block = isUnder ? { ...call, result: part } : part
  agent.blocks = blocks.set(position, block)
  const isOpen = !block.done || ('result' in block && block.result?.done === false)
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

function interrupt<T extends Block>(block: T): T {
  const cut = block.done ? block : { ...block, done: true, interrupted: true }
  return 'result' in cut && cut.result ? { ...cut, result: interrupt(cut.result) } : cut
}
