import { Anthropic } from '@anthropic-ai/sdk'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  anyReply,
  citations,
  ownPairs,
} from '../../../millrace/test/support/models/scripted-replies.ts'
import { eventsOf, postMessage } from '../../../millrace/test/support/models/emulator-talk.ts'
import type { JsonObject } from 'millrace'
import { createEmulator } from './emulator.ts'
import type { ScriptedBlock, ScriptedReply } from './replies/scripted-reply.ts'

function emulate(reply: ScriptedReply) {
  const scenario = { name: 'script', summary: '', matches: () => true, reply: () => reply }
  return createEmulator({ scenarios: [scenario], pace: 'instant', seed: 'script' })
}

function connect(reply: ScriptedReply) {
  const { fetch } = emulate(reply)
  return new Anthropic({ apiKey: 'any', maxRetries: 0, fetch }).beta.messages
}

const params = {
  model: 'm',
  max_tokens: 9_999,
  messages: [{ role: 'user' as const, content: 'x' }],
}

async function streamed(reply: ScriptedReply, more: object = {}) {
  return eventsOf(await (await postMessage(emulate(reply), { stream: true, ...more })).text())
}

async function whole(reply: ScriptedReply, more: object = {}) {
  return (await (await postMessage(emulate(reply), more)).json()) as JsonObject
}

/** Converts lazily parsed calls of the SDK, and the like, to plain data. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

test('the official SDK accumulates from any stream the message that it gets without a stream', async () => {
  await fc.assert(
    fc.asyncProperty(anyReply, async (reply) => {
      const stream = await connect(reply).stream(params).finalMessage()
      const message = await connect(reply).create(params)
      expect(plain(stream.content)).toEqual(plain(message.content))
      expect(stream.stop_reason).toBe(message.stop_reason)
      expect(stream.usage.output_tokens).toBe(message.usage.output_tokens)
    }),
    { numRuns: 60 },
  )
})

describe('blocks', () => {
  test('citations of all five kinds precede their text', async () => {
    const events = await streamed({ blocks: [{ type: 'text', text: 'So it is.', citations }] })
    const deltas = events.flatMap(({ delta }) => (delta === undefined ? [] : [delta as JsonObject]))
    const kinds = deltas.map(({ type, citation }) => (citation as JsonObject)?.['type'] ?? type)
    expect(kinds.slice(0, 5)).toEqual(citations.map(({ type }) => type))
    expect(new Set(kinds.slice(5, -1))).toEqual(new Set(['text_delta']))
    expect(events[1]?.['content_block']).toEqual({ citations: [], type: 'text', text: '' })
  })

  test('hidden thinking has a signature and no text', async () => {
    const events = await streamed({ blocks: [{ type: 'thinking', thinking: '' }] })
    const deltas = events.filter(({ type }) => type === 'content_block_delta')
    expect(deltas.map(({ delta }) => (delta as JsonObject)['type'])).toEqual(['signature_delta'])
  })

  test('results find their calls, in any order and in the previous message', async () => {
    const calls = ownPairs.map(([call]) => call)
    const results = ownPairs.map(([, result]) => result)
    const { content } = await whole({ blocks: [...calls, ...results.toReversed()] })
    const blocks = content as JsonObject[]
    const ids = blocks.slice(0, calls.length).map(({ id }) => id)
    expect(blocks.slice(calls.length).map((block) => block['tool_use_id'])).toEqual(
      ids.toReversed(),
    )
    const waiting = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} }
    const messages = [
      { role: 'user', content: 'x' },
      { role: 'assistant', content: [waiting] },
    ]
    const found = [{ type: 'web_search_tool_result' as const, content: [] }]
    expect(await whole({ blocks: found }, { messages })).toMatchObject({
      content: [{ tool_use_id: 'srvtoolu_1' }],
    })
  })

  test('a compaction is a null block and one delta with the whole content', async () => {
    const events = await streamed({ blocks: [{ type: 'compaction', content: 'Before.' }] })
    expect(events.slice(1, 5)).toMatchObject([
      { content_block: { type: 'compaction', content: null } },
      { type: 'ping' },
      { delta: { type: 'compaction_delta', content: 'Before.' } },
      { type: 'content_block_stop' },
    ])
  })

  test('input may be the model’s own JSON, in exact chunks, valid or not', async () => {
    const pieces = ['{"a": 1e400', ', "b":', ' }']
    const call = { type: 'tool_use', name: 'f', input: pieces } as const
    const events = await streamed({ blocks: [call] })
    const sent = events.flatMap(({ delta }) => (delta as JsonObject)?.['partial_json'] ?? [])
    expect(sent).toEqual(pieces)
    expect(await whole({ blocks: [call] })).toMatchObject({ content: [{ input: {} }] })
  })

  test('an unfinished block is never closed', async () => {
    const events = await streamed({ blocks: [{ type: 'text', text: 'Half', unfinished: true }] })
    expect(events.map(({ type }) => type)).not.toContain('content_block_stop')
  })

  test('a message may be complete in its start', async () => {
    const blocks: ScriptedBlock[] = [{ type: 'text', text: 'All of it' }]
    const events = await streamed({ blocks, isPrefilled: true })
    expect(events).toMatchObject([
      { message: { content: [{ text: 'All of it' }], stop_reason: 'end_turn' } },
      { type: 'message_stop' },
    ])
  })
})

describe('the end', () => {
  const blocks: ScriptedBlock[] = [{ type: 'text', text: 'x'.repeat(400) }]

  test('carries its reason and details, container and context management', async () => {
    const stopDetails = { type: 'refusal', category: null, explanation: 'No.' }
    const container = { id: 'c', expires_at: '2030-01-01T00:00:00Z' }
    const context_management = { applied_edits: [] }
    const reply = {
      blocks,
      stopReason: 'refusal',
      stopDetails,
      ending: { container, context_management },
    }
    const end = (await streamed(reply)).at(-2)
    expect(end).toMatchObject({
      delta: { stop_reason: 'refusal', stop_details: stopDetails, container },
      context_management,
    })
    expect(await whole(reply)).toMatchObject({ stop_reason: 'refusal', container })
  })

  test('usage is counted, unless the script overrides it', async () => {
    const counted = await streamed({
      blocks: [{ type: 'thinking', thinking: 'y'.repeat(40) }, ...(ownPairs[0] ?? []), ...blocks],
    })
    expect(counted.at(-2)?.['usage']).toMatchObject({
      output_tokens_details: { thinking_tokens: 10 },
      server_tool_use: { web_search_requests: 1, web_fetch_requests: 0 },
    })
    const usage = {
      input_tokens: 404_500,
      cache_read_input_tokens: 7,
      cache_creation: { ephemeral_5m_input_tokens: 1, ephemeral_1h_input_tokens: 2 },
      iterations: [{ type: 'message', input_tokens: 1, output_tokens: 1 }],
    }
    const received = await streamed({ blocks, usage, startUsage: { input_tokens: 2479 } })
    const start = (received[0] as { message?: { usage: JsonObject } }).message?.usage
    const end = received.at(-2)?.['usage'] as JsonObject
    expect(start).toMatchObject({
      input_tokens: 2479,
      cache_read_input_tokens: 7,
      cache_creation: usage.cache_creation,
    })
    expect(start).not.toHaveProperty('iterations')
    expect(end).toMatchObject({ input_tokens: 404_500, iterations: usage.iterations })
    expect(end).not.toHaveProperty('cache_creation')
  })
})

describe('limits', () => {
  const text = (message: JsonObject) => (message['content'] as JsonObject[])[0]?.['text']

  test('max_tokens cuts the text, closes it, and becomes the stop reason', async () => {
    const reply = { blocks: [{ type: 'text' as const, text: 'abcd'.repeat(100) }] }
    const events = await streamed(reply, { max_tokens: 10 })
    expect(events.slice(-3)).toMatchObject([
      { type: 'content_block_stop' },
      { delta: { stop_reason: 'max_tokens' }, usage: { output_tokens: 10 } },
      { type: 'message_stop' },
    ])
    expect(text(await whole(reply, { max_tokens: 10 }))).toBe('abcd'.repeat(10))
  })

  test('closes a cut call, unless its input is streamed while it is written', async () => {
    const reply = {
      blocks: [{ type: 'tool_use' as const, name: 'f', input: { text: 'x'.repeat(100) } }],
    }
    const typesWith = async (tools: object[]) =>
      (await streamed(reply, { max_tokens: 10, tools })).map(({ type }) => type).slice(-3)
    const tool = { name: 'f', input_schema: { type: 'object' } }
    const end = ['message_delta', 'message_stop']
    expect(await typesWith([tool])).toEqual(['content_block_stop', ...end])
    const eager = { ...tool, eager_input_streaming: true }
    expect(await typesWith([eager])).toEqual(['content_block_delta', ...end])
  })

  test('begins no block without a token left, and does not sign cut thinking', async () => {
    const blocks: ScriptedBlock[] = [
      { type: 'thinking', thinking: 'z'.repeat(80) },
      { type: 'text', text: 'never' },
    ]
    expect(await whole({ blocks }, { max_tokens: 10 })).toMatchObject({
      content: [{ type: 'thinking', signature: '' }],
      usage: { output_tokens: 10, output_tokens_details: { thinking_tokens: 10 } },
    })
    const next = await whole({ blocks }, { max_tokens: 20 })
    expect(next['content']).toHaveLength(1)
    expect(next['stop_reason']).toBe('max_tokens')
  })

  test('never splits a surrogate pair', async () => {
    const reply = { blocks: [{ type: 'text' as const, text: `a${'🌊'.repeat(50)}` }] }
    for (let max = 1; max < 12; max++) {
      const cut = text(await whole(reply, { max_tokens: max }))
      expect(() => encodeURIComponent(String(cut))).not.toThrow()
    }
  })

  test('the first stop sequence ends the text before it, wherever the chunks are split', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 10 }),
        async (pieces) => {
          const stop_sequences = ['STOP', 'END']
          const reply = {
            blocks: [{ type: 'text' as const, text: [...pieces, 'ST', 'OP', 'END'] }],
          }
          const message = await whole(reply, { stop_sequences, max_tokens: 9999 })
          const all = [...pieces, 'STOP'].join('')
          const end = /STOP|END/.exec(all)?.index ?? 0
          expect(message).toMatchObject({ stop_reason: 'stop_sequence' })
          expect(text(message) ?? '').toBe(all.slice(0, end))
        },
      ),
      { numRuns: 30 },
    )
    const reply = { blocks: [{ type: 'text' as const, text: 'One. Two. Three.' }] }
    expect(await whole(reply, { stop_sequences: ['Three', 'Two'] })).toMatchObject({
      content: [{ text: 'One. ' }],
      stop_sequence: 'Two',
    })
  })

  test('a script may have its own limit', async () => {
    const blocks = [{ type: 'text' as const, text: 'x'.repeat(400) }]
    expect(await whole({ blocks, maxTokens: Infinity }, { max_tokens: 1 })).toMatchObject({
      stop_reason: 'end_turn',
    })
    expect(await whole({ blocks, maxTokens: 5 })).toMatchObject({ stop_reason: 'max_tokens' })
  })
})
