import { blockKey, createJoiner, type Envelope, traitsOf } from 'millrace'
import type { JsonObject, JsonValue } from 'millrace'

type Block = Record<string, JsonValue>

/**
 * Folds envelopes into blocks, in the order in which these open: citations under their text, images under their result.
 * A block has `text`, `json` if its text is JSON, and `done`.
 */
export function foldBlocks(envelopes: Iterable<Envelope>): readonly JsonObject[] {
  const joiner = createJoiner()
  const blocks: Block[] = []
  const open = new Map<string, Block>()
  for (const envelope of envelopes) {
    const isItem = traitsOf(envelope.type)?.isItem
    const block = isItem ? undefined : openBlock(blocks, open, envelope)
    const whole = joiner.push(envelope)
    if (whole === undefined) continue
    if (block === undefined) attach(blocks, open, whole)
    else Object.assign(block, contentOf(whole), { done: true })
    if (block !== undefined) open.delete(blockKey(envelope))
  }
  for (const part of joiner.open()) {
    Object.assign(open.get(blockKey(part)) ?? {}, contentOf(part), { done: false })
  }
  return blocks
}

function openBlock(blocks: Block[], open: Map<string, Block>, envelope: Envelope): Block {
  const key = blockKey(envelope)
  const known = open.get(key)
  if (known !== undefined) return known
  const block = { type: envelope.type, agent: envelope.agent }
  open.set(key, block)
  blocks.push(block)
  return block
}

function attach(blocks: readonly Block[], open: ReadonlyMap<string, Block>, item: Envelope): void {
  const { type, agent, final: _final, delta, ...fields } = item
  if (type === 'tool_result_image') {
    const result = open.get(blockKey({ ...item, type: 'tool_result' }))
    return append(result, 'images', fields as JsonObject)
  }
  const text = blocks.findLast(
    (block) => block['type'] === 'text' && block['agent'] === agent && block['id'] === fields.id,
  )
  append(text, 'citations', { ...(fields as JsonObject), cited_text: delta })
}

function append(block: Block | undefined, list: string, item: JsonObject): void {
  if (block !== undefined) block[list] = [...((block[list] as JsonValue[] | undefined) ?? []), item]
}

function contentOf(envelope: Envelope): JsonObject {
  const { type: _type, agent: _agent, final: _final, delta: text, ...fields } = envelope
  const extras = fields as JsonObject
  try {
    const json = JSON.parse(text) as JsonValue
    // A plain-text result is a JSON string on the wire. [XML-23]
    const isText = typeof json === 'string' && traitsOf(envelope.type)?.delta === 'json'
    return { ...extras, text: isText ? json : text, json }
  } catch {
    return { ...extras, text }
  }
}
