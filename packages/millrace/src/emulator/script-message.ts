import type { JsonObject } from '../json/index.ts'
import type { Random } from './random.ts'
import type { ScriptedReply } from './scenario.ts'
import { type BlockScript, scriptBlock } from './script-block.ts'

/** What a message says of itself besides its content. */
export interface MessageFacts {
  readonly id: string
  readonly model: string
  readonly inputTokens: number
}

/** An event of the stream; `tokens` is how long the model takes to say it. */
export interface ScriptEvent {
  readonly event: JsonObject
  readonly tokens: number
}

/** The events of a reply, in the order of the Messages API. */
export function* scriptEvents(
  reply: ScriptedReply,
  facts: MessageFacts,
  random: Random,
): Generator<ScriptEvent, void, undefined> {
  yield said(messageStart(facts))
  yield said({ type: 'ping' })
  let index = 0
  let outputTokens = 0
  for (const block of reply.blocks) {
    if (block.type === 'error') return yield said({ ...block })
    const script = scriptBlock(block, random)
    yield* blockEvents(script, index)
    if (block.unfinished !== true) yield said({ type: 'content_block_stop', index })
    outputTokens += script.tokens
    index++
  }
  const delta = { stop_reason: stopReasonOf(reply), stop_sequence: null }
  yield said({ type: 'message_delta', delta, usage: usageOf(facts, outputTokens) })
  yield said({ type: 'message_stop' })
}

/** A reply as one message; an error in it is not part of one. */
export function scriptMessage(
  reply: ScriptedReply,
  facts: MessageFacts,
  random: Random,
): JsonObject {
  const scripts = reply.blocks.flatMap((block) =>
    block.type === 'error' ? [] : [scriptBlock(block, random)],
  )
  const content = scripts.map(({ whole }) => whole)
  const outputTokens = scripts.reduce((sum, { tokens }) => sum + tokens, 0)
  const usage = { ...startUsageOf(facts), output_tokens: outputTokens }
  return { ...messageOf(facts), content, stop_reason: stopReasonOf(reply), usage }
}

function* blockEvents({ start, deltas }: BlockScript, index: number): Generator<ScriptEvent> {
  yield said({ type: 'content_block_start', index, content_block: start })
  for (const delta of deltas) {
    yield { event: { type: 'content_block_delta', index, delta }, tokens: 1 }
  }
}

function said(event: JsonObject): ScriptEvent {
  return { event, tokens: 0 }
}

function messageStart(facts: MessageFacts): JsonObject {
  return { type: 'message_start', message: messageOf(facts) }
}

function messageOf(facts: MessageFacts): JsonObject {
  const { id, model } = facts
  const usage = startUsageOf(facts)
  const ends = { stop_reason: null, stop_sequence: null }
  return { model, id, type: 'message', role: 'assistant', content: [], ...ends, usage }
}

function stopReasonOf({ stopReason, blocks }: ScriptedReply): string {
  if (stopReason !== undefined) return stopReason
  return blocks.some(({ type }) => type === 'tool_use') ? 'tool_use' : 'end_turn'
}

/** Some fields of usage are told only at the start. */
function startUsageOf(facts: MessageFacts): JsonObject {
  const cache_creation = { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 }
  return {
    ...usageOf(facts, 1),
    cache_creation,
    service_tier: 'standard',
    inference_geo: 'not_available',
  }
}

function usageOf({ inputTokens }: MessageFacts, outputTokens: number): JsonObject {
  return {
    input_tokens: inputTokens,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    output_tokens: outputTokens,
  }
}
