import type { Envelope } from '../envelope/index.ts'
import { findOpen, isResult, partAt, putPart } from './agent-blocks.ts'
import { note } from './agent-book.ts'
import type { Block, CallBlock, ContentBlock, InputPiece } from './block.ts'
import type { AgentDraft, TranscriptDraft } from './draft.ts'
import { findPlace } from './find-place.ts'
import { growBlock } from './grow-block.ts'
import { goOn } from './run-status.ts'

const noPiece: InputPiece = { text: '', before: undefined }

/** Takes in a message of a block: appends it to the open block of its key, or opens one. [ENV-7] */
export function takeBlock(
  next: TranscriptDraft,
  agent: AgentDraft,
  envelope: Envelope,
  type: ContentBlock['type'],
): void {
  const position = findOpen(agent, type, envelope.id) ?? -1
  const block = position < 0 ? undefined : partAt(agent, position, type)
  if (block) putPart(agent, position, growBlock(block, envelope))
  else openBlock(next, agent, envelope, type)
}

/** Opens a block, a result under the call that it answers and anything else at the end; gives its position. */
export function openBlock(
  next: TranscriptDraft,
  agent: AgentDraft,
  envelope: Envelope,
  type: ContentBlock['type'],
): number {
  const { book, blocks } = agent
  const { id = '' } = envelope
  const seed = {
    type,
    key: book.nextKey,
    id,
    name: '',
    compaction: book.compacting,
    citations: [],
    images: [],
    head: '',
    tail: '',
    lastPiece: type.endsWith('call') ? noPiece : undefined,
  }
  const block = growBlock(seed, envelope)
  const call = isResult(block) ? findCall(agent, id) : undefined
  const position = call ?? blocks.length
  if (id && call === undefined) book.places.set(id, position)
  putPart(agent, position, block)
  note(agent, { nextKey: book.nextKey + 1 })
  if (type === 'text') note(agent, { cited: position })
  // A result of the provider's own tool is a part of the step; one of ours follows it. [LIFE-8]
  if (type === 'tool_result') note(agent, { boundary: agent.blocks.length })
  goOn(next, agent.id, isResult(block) ? id : undefined)
  return position
}

/** The position of the call with an id, while it has no result. */
function findCall({ book, blocks }: AgentDraft, id: string): number | undefined {
  const place = findPlace(book.places, blocks, id)
  const call = place === undefined ? undefined : blocks.at(place)
  return call && isCall(call) && !call.result ? place : undefined
}

function isCall(block: Block): block is CallBlock {
  return block.type.endsWith('call')
}
