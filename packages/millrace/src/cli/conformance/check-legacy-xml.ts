import { createJoiner, type Envelope } from '../../envelope/index.ts'
import type { JsonObject, JsonValue } from '../../json/index.ts'
import { createLegacyXmlDecoder } from '../../legacy-xml/index.ts'
import type { SseEvent } from '../../sse/index.ts'
import { checkFedFrames } from './fed-frames.ts'

/** Checks how legacy XML is decoded into envelopes. */
export function checkLegacyXml(input: JsonObject, expected: JsonObject): string[] {
  return checkFedFrames(input['data'] as readonly string[], expected, toBlocks)
}

function toBlocks(events: readonly SseEvent[]): JsonObject {
  const decoder = createLegacyXmlDecoder()
  const envelopes = [...events.flatMap((event) => decoder.feed(event.data)), ...decoder.finish()]
  const joiner = createJoiner()
  const blocks: Record<string, JsonValue>[] = []
  for (const envelope of envelopes) {
    const whole = joiner.push(envelope)
    if (whole !== undefined && whole.type !== 'meta_init') addBlock(blocks, whole)
  }
  return { agent: envelopes[0]?.agent ?? null, blocks }
}

/** Items join the block that they belong to; the images of a result come before it is whole. */
function addBlock(blocks: Record<string, JsonValue>[], whole: Envelope): void {
  const { type, agent: _agent, final: _final, delta, ...extras } = whole
  const fields = extras as JsonObject
  if (type === 'citation') {
    const text = blocks.findLast((block) => block['type'] === 'text')
    append(text, 'citations', { ...fields, cited_text: delta })
  } else if (type === 'tool_result_image') {
    append(resultOf(blocks, whole), 'images', fields)
  } else if (type === 'tool_result') {
    Object.assign(resultOf(blocks, whole), fields, contentOf(delta))
  } else {
    blocks.push({ type, ...fields, ...contentOf(delta) })
  }
}

function resultOf(
  blocks: Record<string, JsonValue>[],
  { id = '' }: Envelope,
): Record<string, JsonValue> {
  const found = blocks.findLast((block) => block['type'] === 'tool_result' && block['id'] === id)
  if (found !== undefined && found['text'] === undefined) return found
  const block = { type: 'tool_result', id }
  blocks.push(block)
  return block
}

function append(
  block: Record<string, JsonValue> | undefined,
  list: string,
  item: JsonObject,
): void {
  if (block !== undefined) block[list] = [...((block[list] as JsonValue[] | undefined) ?? []), item]
}

function contentOf(delta: string): JsonObject {
  try {
    return { text: delta, json: JSON.parse(delta) as JsonValue }
  } catch {
    return { text: delta }
  }
}
