import {
  type EnvelopeTraits,
  traitsOfEvent,
  type Piece,
  type StreamEvent,
} from '../../../events/index.ts'
import { findOpen, partOf, putPart, growBlock, type PieceContent } from './agent-blocks.ts'
import {
  settleStep,
  type AgentDraft,
  draftReducerState,
  type TranscriptDraft,
  resume,
} from './draft.ts'
import type { Block, PieceBlock, ResultBlock } from '../block.ts'

/** Appends an event to the open block with its id, or opens a block. [ENV-7] */
export function takePiece(next: TranscriptDraft, agent: AgentDraft, piece: Piece): true {
  const { type, wireId } = piece
  const position = findOpen(agent, type, wireId)
  const block = partOf(agent.blocks.at(position), type)
  if (block) putPart(agent, position, growBlock(block, piece))
  else openBlock(next, agent, type, wireId, piece)
  const { beforeAnswer, step } = traitsOfEvent(type)!
  // An interrupted block is not a call, result or message yet.
  if (beforeAnswer && piece.end && !piece.interrupted)
    draftReducerState(agent).answerFrom = agent.blocks.length
  if (step === 'boundary') settleStep(agent)
  return true
}

const none: readonly never[] = []

/** Opens a block and returns its position: a result and its call share one, other blocks are appended. */
function openBlock(
  next: TranscriptDraft,
  agent: AgentDraft,
  type: PieceBlock['type'],
  id: string,
  content: PieceContent,
): number {
  const { blocks } = agent
  const reducer = draftReducerState(agent)
  const row = traitsOfEvent(type)!
  const place = placeOf(agent, row, id)
  const found = blocks.at(place)
  const block = growBlock(
    {
      type,
      key: reducer.nextKey++,
      id,
      name: '',
      compaction: content.isSummary === true,
      citations: none,
      result: row.answers ? undefined : (found as ResultBlock | undefined),
      images: none,
      head: '',
      tail: '',
      lastPiece: row.delta === 'input' ? { text: '', before: undefined } : undefined,
    },
    content,
  )
  if (row.answers) putPart(agent, place, block)
  else agent.blocks = blocks.set(place, block)
  if (found && !row.answers && place < reducer.boundary) reducer.late = [...reducer.late, place]
  const others = reducer.open.filter((other) => other !== place && isOpen(blocks.at(other)))
  reducer.open = others.concat(place)
  resume(next, agent.id, row.answers && id)
  return place
}

/** Returns the position of the block that a call shares with its result, of which either may come first; the end if it is new. [LIFE-5] */
function placeOf(
  { blocks, runs }: AgentDraft,
  { answers, answeredBy }: EnvelopeTraits,
  id: string,
): number {
  const place = blocks.find((answers ?? answeredBy ?? '') + id)
  const isFree = answers
    ? !blocks.at(place)?.result
    : answeredBy && place >= (runs.at(-1)?.firstBlock ?? 0)
  return isFree ? place : blocks.length
}

function isOpen(block: Block | undefined): boolean {
  return block?.done === false || block?.result?.done === false
}

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
