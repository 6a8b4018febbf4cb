import type { Envelope } from '../envelope/index.ts'
import { findOpen, isResult, partOf, putPart } from './agent-blocks.ts'
import { note } from './agent-book.ts'
import type { Block, ContentBlock } from './block.ts'
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
  const block = growBlock(
    {
      type,
      key: book.nextKey,
      id,
      name: '',
      compaction: book.compacting,
      citations: [],
      images: [],
      head: '',
      tail: '',
      lastPiece: type.endsWith('call') ? { text: '', before: undefined } : undefined,
    },
    envelope,
  )
  const place = blocks.find(callOf(type) + id)
  const position = isResult(type) && !blocks.at(place)?.result ? place : blocks.length
  putPart(agent, position, block)
  note(agent, {
    nextKey: book.nextKey + 1,
    open: [
      ...book.open.filter((other) => other !== position && isOpen(blocks.at(other))),
      position,
    ],
    // A result of the provider's own tool is a part of the step; one of ours follows it, and so does a person. [LIFE-8]
    boundary:
      type === 'tool_result' || type === 'user_message' ? agent.blocks.length : book.boundary,
  })
  goOn(next, agent.id, isResult(type) ? id : undefined)
  return position
}

function isOpen(block: Block | undefined): boolean {
  return block?.done === false || block?.result?.done === false
}

/** The type of the call that a result answers. */
export function callOf(type: string): string {
  return type.replace('result', 'call')
}
