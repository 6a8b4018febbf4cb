import type { Envelope } from '../envelope/index.ts'
import { findOpen, partAt, putPart } from './agent-blocks.ts'
import { type ContentBlock, growBlock } from './grow-block.ts'
import type { AgentDraft, TranscriptDraft } from './draft.ts'
import { type AgentBook, note } from './agent-book.ts'
import { findPlace } from './find-place.ts'
import { goOn } from './run-status.ts'

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
  const block = growBlock(newBlock(type, id, book, envelope['redacted'] === true), envelope)
  const call = 'images' in block ? findCall(agent, id) : undefined
  const position = call ?? blocks.length
  if (id && call === undefined) book.places.set(id, position)
  putPart(agent, position, block)
  note(agent, { nextKey: book.nextKey + 1 })
  if (type === 'text') note(agent, { cited: position })
  // A result of the provider's own tool is a part of the step; one of ours follows it. [LIFE-8]
  if (type === 'tool_result') note(agent, { boundary: agent.blocks.length })
  goOn(next, agent.id, 'images' in block ? id : undefined)
  return position
}

/** The position of the call with an id, while it has no result. */
function findCall({ book, blocks }: AgentDraft, id: string): number | undefined {
  const place = findPlace(book.places, blocks, id) ?? -1
  const call = place < 0 ? undefined : blocks.at(place)
  return call && 'result' in call && !call.result ? place : undefined
}

function newBlock(
  type: ContentBlock['type'],
  id: string,
  book: AgentBook,
  redacted: boolean,
): ContentBlock {
  const base = { key: book.nextKey, id, done: false, interrupted: false, text: '' }
  if (type === 'text') return { type, ...base, citations: [], compaction: book.compacting }
  if (type === 'thinking') return { type, ...base, redacted }
  if (type === 'tool_result' || type === 'server_tool_result') {
    return { type, ...base, name: '', isError: false, images: [] }
  }
  return { type, ...base, name: '', serverName: undefined, result: undefined }
}
