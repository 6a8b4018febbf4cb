import type { Envelope } from '../../../envelope/index.ts'
import type { JsonObject } from '../../../json/index.ts'
import { partOf, putPart } from './agent-blocks.ts'
import type { Citation, ContentBlock } from '../block.ts'
import type { AgentDraft, TranscriptDraft } from './draft.ts'
import { toPayload } from './payload.ts'
import { goOn } from './run-status.ts'
import { stringOr } from './string-or.ts'
import { callOf, openBlock } from './take-block.ts'

/** The types of blocks that items belong to, and what an item changes in them. */
const changes = {
  text: ({ citations }: ContentBlock, item: Envelope) => ({
    citations: [...citations, toCitation(item)],
  }),
  tool_result: ({ images }: ContentBlock, { src, media_type: mediaType }: Envelope) => ({
    images: [...images, { src: stringOr(src, ''), mediaType: stringOr(mediaType, '') }],
  }),
  tool_call: ({ decision }: ContentBlock, item: Envelope) => {
    const { by, at, input_hash: inputHash, edited } = item
    const status = { stage: stringOr(item['stage'], ''), detail: item.delta }
    if (typeof at !== 'string') return { status, decision }
    const who = { by: stringOr(by, undefined), at, inputHash: stringOr(inputHash, undefined) }
    return { status, decision: { ...status, ...who, edited: edited === true } }
  },
}

/** The type of a block that items belong to. */
export type ItemOwner = keyof typeof changes

/**
 * Takes in an item, for the block with its id, open or not; a citation without one is for the latest text. An item
 * that finds no block opens it. [ENV-8] [LIFE-3] [LIFE-4] [LIFE-11]
 */
export function takeItem(
  next: TranscriptDraft,
  agent: AgentDraft,
  envelope: Envelope,
  owner: ItemOwner,
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
  putPart(agent, position, { ...block, ...changes[owner](block, envelope) })
  goOn(next, agent.id, id)
}

function toCitation(envelope: Envelope): Citation {
  const { type, agent, final, delta, id, more, span, ...fields } = envelope
  // The older dialect puts all of a citation into `delta`, as JSON.
  const { cited_text: citedText, ...told } = 'citation_type' in fields ? {} : toPayload(delta)
  if (typeof citedText === 'string') return { citedText, fields: told }
  // A decoded message holds nothing but JSON.
  return { citedText: delta, fields: fields as JsonObject }
}
