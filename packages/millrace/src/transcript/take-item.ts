import type { Envelope } from '../envelope/index.ts'
import type { JsonObject } from '../json/index.ts'
import { findOpen, partAt, putPart } from './agent-blocks.ts'
import type { Citation } from './block.ts'
import type { ContentBlock } from './grow-block.ts'
import type { AgentDraft, TranscriptDraft } from './draft.ts'
import { findPlace } from './find-place.ts'
import { toPayload } from './payload.ts'
import { stringOr } from './string-or.ts'
import { openBlock } from './take-block.ts'

/** The type of block that items of a type belong to, and what they add to it. [ENV-8] */
export interface ItemTraits {
  readonly owner: 'text' | 'tool_result'
  add(block: ContentBlock, envelope: Envelope): ContentBlock
}

/** All types of items. */
export const items: Readonly<Record<string, ItemTraits>> = {
  citation: {
    owner: 'text',
    add: (block, envelope) =>
      'citations' in block
        ? { ...block, citations: [...block.citations, toCitation(envelope)] }
        : block,
  },
  tool_result_image: {
    owner: 'tool_result',
    add: (block, { src, media_type: mediaType }) =>
      'images' in block
        ? {
            ...block,
            images: [
              ...block.images,
              { src: stringOr(src, ''), mediaType: stringOr(mediaType, '') },
            ],
          }
        : block,
  },
}

/**
 * Takes in an item, for the block with its id, open or not; a citation without one is for the latest text. One
 * that finds no block opens it. [LIFE-3] [LIFE-4]
 */
export function takeItem(
  next: TranscriptDraft,
  agent: AgentDraft,
  envelope: Envelope,
  { owner, add }: ItemTraits,
): void {
  const { book, blocks } = agent
  const { id = '' } = envelope
  const cited = owner === 'text' ? book.cited : undefined
  let position = findOpen(agent, owner, id) ?? findPlace(book.places, blocks, id) ?? cited
  if (position === undefined || partAt(agent, position, owner)?.type !== owner) {
    position = openBlock(next, agent, { ...envelope, final: false, delta: '' }, owner)
  }
  const block = partAt(agent, position, owner)
  if (block) putPart(agent, position, add(block, envelope))
}

function toCitation(envelope: Envelope): Citation {
  // The older dialect puts all of a citation into `delta`, as JSON.
  const { cited_text: citedText, ...told } = toPayload(envelope.delta)
  if (typeof citedText === 'string') return { citedText, fields: told }
  const { type, agent, final, delta, id, more, span, ...fields } = envelope
  // A decoded message holds nothing but JSON.
  return { citedText: delta, fields: fields as JsonObject }
}
