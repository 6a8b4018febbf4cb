import { type Envelope, isStepBoundary, traitsOf } from '../../../envelope/index.ts'
import { findOpen, isResult, partOf, putPart } from './agent-blocks.ts'
import { note, settleStep } from './agent-book.ts'
import type { Block, ContentBlock, ResultBlock } from '../block.ts'
import type { AgentDraft, TranscriptDraft } from './draft.ts'
import { growBlock } from './grow-block.ts'
import { goOn } from './run-status.ts'

/** Takes in a message of a block: appends it to the open block of its key, or opens one. [ENV-7] */
export function takeBlock(
  next: TranscriptDraft,
  agent: AgentDraft,
  envelope: Envelope,
  type: ContentBlock['type'],
): void {
  const position = findOpen(agent, type, envelope.id)
  const block = partOf(agent.blocks.at(position), type)
  if (block) putPart(agent, position, growBlock(block, envelope))
  else openBlock(next, agent, envelope, type)
  // A block that was cut is no call, result or message yet.
  const isWhole = envelope.final && envelope['interrupted'] !== true
  if (isWhole && traitsOf(type)?.beforeAnswer) note(agent, { answerFrom: agent.blocks.length })
  if (isStepBoundary(type)) settleStep(agent)
}

/** Opens a block and gives its position: a result and its call share one, whichever comes first, and others go to the end. */
export function openBlock(
  next: TranscriptDraft,
  agent: AgentDraft,
  envelope: Envelope,
  type: ContentBlock['type'],
): number {
  const { book, blocks } = agent
  const { id = '' } = envelope
  const place = placeOf(agent, type, id)
  const found = blocks.at(place)
  const block = growBlock(
    {
      type,
      key: book.nextKey,
      id,
      name: '',
      compaction: book.compacting,
      result: isResult(type) ? undefined : (found as ResultBlock | undefined),
      citations: [],
      images: [],
      head: '',
      tail: '',
      lastPiece: type.endsWith('call') ? { text: '', before: undefined } : undefined,
    },
    envelope,
  )
  if (isResult(type)) putPart(agent, place, block)
  else agent.blocks = blocks.set(place, block)
  const isLate = found && !isResult(type) && place < book.boundary
  note(agent, {
    nextKey: book.nextKey + 1,
    open: [...book.open.filter((other) => other !== place && isOpen(blocks.at(other))), place],
    late: isLate ? [...book.late, place] : book.late,
  })
  goOn(next, agent.id, isResult(type) ? id : undefined)
  return place
}

/** The position of the call that a result answers, or of the result that came before its call, or the end. [LIFE-5] */
function placeOf({ blocks, runs }: AgentDraft, type: string, id: string): number {
  const isOfResult = isResult(type)
  const place = blocks.find((isOfResult ? callOf(type) : resultOf(type)) + id)
  const isFree = isOfResult
    ? !blocks.at(place)?.result
    : type.endsWith('call') && place >= (runs.at(-1)?.firstBlock ?? 0)
  return isFree ? place : blocks.length
}

function isOpen(block: Block | undefined): boolean {
  return block?.done === false || block?.result?.done === false
}

function resultOf(type: string): string {
  return type.replace('call', 'result')
}

/** The type of the call that a result answers. */
export function callOf(type: string): string {
  return type.replace('result', 'call')
}
