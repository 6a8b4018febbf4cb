import type { Block, PieceBlock } from '../block.ts'
import { type AgentDraft, draftReducerState } from './draft.ts'

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

/** A part of a call's arguments, with those before it. */
export interface InputPiece {
  readonly text: string
  readonly before: InputPiece | undefined
}

interface Growth {
  /** `text` in two parts: a flat string, and the latest additions. */
  readonly head: string
  readonly tail: string
  /** The last part of a call's arguments while it is open, so that `toolInput` reads each part once. */
  readonly lastPiece: InputPiece | undefined
}

/** A block with the state of the reducer. */
export type GrowingBlock = PieceBlock & Growth

type BlockSeed = Partial<PieceBlock> &
  Pick<PieceBlock, 'type' | 'key' | 'id' | 'name' | 'compaction' | 'citations' | 'images'> &
  Growth

/** The members of an event that a block shows. */
export interface PieceContent {
  readonly text: string
  readonly end?: boolean
  readonly interrupted?: boolean
  readonly name?: string
  readonly serverName?: string | undefined
  readonly redacted?: boolean
  readonly isError?: boolean
  readonly isSummary?: boolean
}

/** Returns a block with one more text. */
export function growBlock(block: BlockSeed, piece: PieceContent): GrowingBlock {
  const { text: added, end = false } = piece
  const { head, lastPiece: before } = block
  const tail = block.tail + added
  const text = head + tail
  // Reading a character makes the engine store about 1,000 characters as one string. Otherwise all parts stay alive, and garbage
  // collection takes longer than all other work here.
  const isFull = tail.length > 1023 && tail.charCodeAt(0) >= 0
  // A literal takes 15 ns, a spread over 200. First pieces pass through this literal too: if nearly all objects of one last, the engine
  // puts its next ones among the old objects, and a long text after many short blocks took twice the time.
  return {
    type: block.type,
    key: block.key,
    id: block.id,
    done: end,
    interrupted: piece.interrupted === true,
    text,
    name: piece.name || block.name,
    serverName: piece.serverName ?? block.serverName,
    redacted: block.redacted || piece.redacted === true,
    compaction: block.compaction,
    citations: block.citations,
    result: block.result,
    status: block.status,
    decision: block.decision,
    isError: block.isError || piece.isError === true,
    images: block.images,
    head: isFull ? text : head,
    tail: isFull ? '' : tail,
    lastPiece: end ? undefined : before && { text: added, before },
  }
}
