import type { Envelope } from '../envelope/index.ts'
import type { JsonObject } from '../json/index.ts'
import { partOf, putPart } from './agent-blocks.ts'
import type { BlockImage, Citation, ContentBlock } from './block.ts'
import type { AgentDraft, TranscriptDraft } from './draft.ts'
import { toPayload } from './payload.ts'
import { stringOr } from './string-or.ts'
import { callOf, openBlock } from './take-block.ts'

/**
 * Takes in an item, for the block with its id, open or not; a citation without one is for the latest text. An item
 * that finds no block opens it. [ENV-8] [LIFE-3] [LIFE-4]
 */
export function takeItem(
  next: TranscriptDraft,
  agent: AgentDraft,
  envelope: Envelope,
  owner: ContentBlock['type'],
): void {
  const { id = '' } = envelope
  const { blocks } = agent
  // A result stands by itself, or else under its call.
  let position = blocks.find(owner + id)
  if (position === blocks.length) position = blocks.find(callOf(owner) + id)
  if (!partOf(blocks.at(position), owner)) {
    position = openBlock(next, agent, { ...envelope, final: false, delta: '' }, owner)
  }
  const block = partOf(agent.blocks.at(position), owner)!
  const { citations, images } = block
  putPart(
    agent,
    position,
    owner === 'text'
      ? { ...block, citations: [...citations, toCitation(envelope)] }
      : { ...block, images: [...images, toImage(envelope)] },
  )
}

function toImage({ src, media_type: mediaType }: Envelope): BlockImage {
  return { src: stringOr(src, ''), mediaType: stringOr(mediaType, '') }
}

function toCitation(envelope: Envelope): Citation {
  const { type, agent, final, delta, id, more, span, ...fields } = envelope
  // The older dialect puts all of a citation into `delta`, as JSON.
  const { cited_text: citedText, ...told } = 'citation_type' in fields ? {} : toPayload(delta)
  if (typeof citedText === 'string') return { citedText, fields: told }
  // A decoded message holds nothing but JSON.
  return { citedText: delta, fields: fields as JsonObject }
}
