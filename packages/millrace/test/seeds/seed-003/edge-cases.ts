import fc from 'fast-check'
import { expect } from 'vitest'
import { createMessageReader } from '../../../src/models/anthropic/index.ts'
import {
  continueRequest,
  findServerToolUses,
} from '../../../src/models/anthropic/request/continue-request.ts'
import { createPartialJson } from '../../../src/json/partial-json.ts'
import { toUsageTotals } from '../../../src/events/usage.ts'
import { jsonFormatter } from '../../../src/formatters/wire-formatter.ts'
import { rawFormatter } from '../../../src/formatters/raw-formatter.ts'
import type { JsonObject } from '../../../src/json/index.ts'
import {
  blockDelta,
  blockStart,
  blockStop,
  endOf,
  messageEnd,
  messageStart,
  noticesOf,
  readEvents,
  textBlock,
  toBody,
  toolBlock,
} from '../../support/models/anthropic-events.ts'
import { runs } from '../../support/runs.ts'
import { jsonMessages, message, wholeBlock } from '../support/format-events.ts'
import { contentOf, jsonOf, ofType } from '../support/messages.ts'
import { createSection } from '../support/seed-case.ts'
import { ask, askOnce } from '../support/seed-server.ts'

const edges = createSection('003', 'Potential Edge Cases')
const question = { role: 'user', content: [{ type: 'text', text: 'Hi' }] } as const
const request = { messages: [question], maxTokens: 10 }
const search = (index: number, id: string) => [
  blockStart(index, { type: 'server_tool_use', id, name: 'web_search', input: {} }),
  blockDelta(index, 'input_json_delta', { partial_json: '{"query":"mill"}' }),
  blockStop(index),
]
const foundBy = (index: number, tool_use_id: string): JsonObject[] =>
  wholeBlock({ type: 'web_search_tool_result', tool_use_id, content: [] }, index)

edges.works(
  '1 Network interruption: received text is kept, an interrupted call is never ready.',
  () => {
    const events = message(...textBlock(0, 'half', ' more'), ...toolBlock(1, 'f', '{"a"', ':1}'))
    for (let place = 0; place < events.length - 1; place++) {
      const end = endOf(readEvents(events.slice(0, place)))
      expect(end.outcome).toBe('interrupted')
      const isWhole = place > 8
      expect(end.content.some(({ type }) => type === 'tool_use')).toBe(isWhole)
    }
  },
)
edges.works(
  '1 Network interruption: a run whose connection breaks gives its complete answer.',
  async () => {
    const messages = (await ask('cut once')).messages()
    const answer = ofType(messages, 'text').slice(-4)
    expect(answer.map(({ delta }) => delta).join('')).toContain('The whole answer.')
    expect(jsonOf(messages, 'meta_end')['stop_reason']).toBe('end_turn')
  },
)
edges.works('2 Tool JSON: fragments split anywhere are read as one text.', () => {
  const json = '{"text":"a\\"b\\u00e9\\n","n":[1,{"x":null}]}'
  for (let cut = 0; cut <= json.length; cut++) {
    const pieces = [json.slice(0, cut), json.slice(cut)]
    const { content } = endOf(readEvents(message(...toolBlock(0, 'f', ...pieces))))
    expect(content[0]?.['input']).toEqual(JSON.parse(json))
  }
})
edges.works('2 Tool JSON: no fragments at all are an empty object.', () => {
  const { content } = endOf(readEvents(message(...toolBlock(0, 'f'))))
  expect(content[0]?.['input']).toEqual({})
})
edges.works('3 Several blocks: all types of one message are kept apart, in order.', () => {
  const events = message(
    ...textBlock(0, 'a'),
    ...search(1, 's'),
    ...foundBy(2, 's'),
    ...toolBlock(3, 'f', '{}'),
  )
  expect(
    jsonMessages(events)
      .filter(({ final }) => final)
      .map(({ type }) => type),
  ).toEqual(['text', 'server_tool_call', 'server_tool_result', 'tool_call'])
})
edges.works('4 Thinking: the text and its signature go back byte for byte.', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string(), (thinking, signature) => {
      const events = [
        blockStart(0, { type: 'thinking', thinking: '', signature: '' }),
        blockDelta(0, 'thinking_delta', { thinking }),
        blockDelta(0, 'signature_delta', { signature }),
        blockStop(0),
      ]
      expect(endOf(readEvents(message(...events))).content).toEqual([
        { type: 'thinking', thinking, signature },
      ])
    }),
    { numRuns: runs(50, 5000) },
  )
})
edges.works('4 Thinking: without a signature it is not sent back.', () => {
  const events = [
    messageStart(),
    blockStart(0, { type: 'thinking', thinking: '', signature: '' }),
    blockDelta(0, 'thinking_delta', { thinking: 'half' }),
  ]
  expect(endOf(readEvents(events)).content).toEqual([])
})
edges.works(
  '5 Server tool results: a large payload is complete for the model and bounded for readers.',
  () => {
    const content = [
      { type: 'web_search_result', url: 'u', encrypted_content: 'QUJD'.repeat(50_000) },
    ]
    const block = { type: 'web_search_tool_result', tool_use_id: 's', content }
    const events = message(...wholeBlock(block))
    expect(endOf(readEvents(events)).content).toEqual([block])
    const messages = jsonMessages(events)
    expect(messages.length).toBeGreaterThan(90)
    expect(JSON.parse(contentOf(messages, 'server_tool_result'))).toEqual(content)
  },
)
edges.works('6 Error recovery: an error in mid-answer keeps the received content.', () => {
  const error = { type: 'error', error: { type: 'overloaded_error', message: 'busy' } }
  const end = endOf(readEvents([...message(...textBlock(0, 'half')).slice(0, 3), error]))
  expect(end).toMatchObject({ outcome: 'failed', content: [{ type: 'text', text: 'half' }] })
})
edges.works(
  '6 Error recovery: `continueRequest` asks the model to continue the partial answer.',
  () => {
    const end = endOf(readEvents(message(...textBlock(0, 'The wheel ')).slice(0, 3)))
    const received = continueRequest(request, end)
    expect(received?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
    const prefilled = continueRequest(request, end, { prefill: true })
    expect(prefilled?.messages.at(-1)).toMatchObject({
      role: 'assistant',
      content: [{ type: 'text', text: 'The wheel' }],
    })
  },
)
edges.works(
  '6 Error recovery: a run whose call fails in mid-answer gives its complete answer.',
  async () => {
    const messages = (await ask('overloaded once')).messages()
    const texts = ofType(messages, 'text').map(({ delta }) => delta)
    expect(texts.join('')).toMatch(/The whole answer\.$/)
    expect(ofType(messages, 'error')).toEqual([])
  },
)
edges.works(
  '7 Event ordering: a delta or stop without a start changes nothing but a notice.',
  () => {
    const strays = [blockDelta(9, 'text_delta', { text: 'x' }), blockStop(9)]
    const out = readEvents(message(...strays, ...textBlock(0, 'a')))
    expect(endOf(out).content).toEqual([{ type: 'text', text: 'a' }])
    expect(noticesOf(out).length).toBeGreaterThan(0)
  },
)
edges.works('7 Event ordering: nothing after `message_stop` is read.', () => {
  const late: unknown[] = []
  const reader = createMessageReader({ onLate: ({ raw }) => late.push(raw) })
  for (const event of [...message(), ...textBlock(0, 'late')]) reader.feed(event)
  expect(reader.ended).toBe(true)
  expect(late).toHaveLength(3)
})
edges.works('8 Pings: none is passed on to readers of envelopes.', () => {
  const events = message(...textBlock(0, 'a')).flatMap((event) => [event, { type: 'ping' }])
  expect(jsonMessages(events)).toEqual(jsonMessages(message(...textBlock(0, 'a'))))
})
edges.works('9 Unknown events, blocks and deltas do not break the message.', () => {
  const block = { type: 'new_block', data: { a: 1 } }
  const events = message({ type: 'new_event' }, ...wholeBlock(block), ...textBlock(1, 'ok'))
  expect(endOf(readEvents(events)).content).toEqual([block, { type: 'text', text: 'ok' }])
  const shown = jsonMessages(events).map(({ type }) => type)
  expect(shown).toEqual(['server_tool_result', 'text', 'text'])
})
edges.works('10 Token counts: the last value counts, never a sum.', () => {
  const first = messageStart({ usage: { input_tokens: 2479, output_tokens: 1 } })
  const end = endOf(readEvents([first, ...messageEnd('end_turn', { input_tokens: 28 })]))
  expect(end.usage).toMatchObject({ input_tokens: 28, output_tokens: 1 })
})
edges.works(
  '11 Cache usage: reads and writes are counted beside the input, with their split.',
  () => {
    const cache_creation = { ephemeral_5m_input_tokens: 7, ephemeral_1h_input_tokens: 3 }
    const counts = { cache_creation_input_tokens: 10, cache_read_input_tokens: 100, cache_creation }
    const first = messageStart({ usage: { input_tokens: 5, output_tokens: 1, ...counts } })
    const { usage } = endOf(readEvents([first, ...messageEnd('end_turn', { output_tokens: 4 })]))
    expect(usage).toMatchObject(counts)
    expect(toUsageTotals(usage)).toMatchObject({ inputTokens: 115, outputTokens: 4 })
  },
)
edges.works('12 Several servers: each result finds its call, in any order.', () => {
  const events = [...search(0, 's1'), ...search(1, 's2'), ...foundBy(2, 's2'), ...foundBy(3, 's1')]
  const { content } = endOf(readEvents(message(...events)))
  const uses = findServerToolUses([{ role: 'assistant', content }])
  expect(uses.map(({ call, result }) => [call['id'], result?.['tool_use_id']])).toEqual([
    ['s1', 's1'],
    ['s2', 's2'],
  ])
})
edges.works('12 Several servers: calls over MCP name their server.', () => {
  const block = { type: 'mcp_tool_use', id: 'm', name: 'find', server_name: 'wiki', input: {} }
  expect(jsonMessages(message(...wholeBlock(block)))).toMatchObject([
    { type: 'server_tool_call', id: 'm', name: 'find', server_name: 'wiki' },
  ])
})
edges.works(
  '13 Buffers: a frame over the bound fails the message instead of filling memory.',
  () => {
    for (const formatter of [
      jsonFormatter({ agent: 'a', maxFrameChars: 1000 }),
      rawFormatter({ maxFrameChars: 1000 }),
    ]) {
      formatter.feed(toBody([messageStart()]))
      const frames = formatter.feed(`data: ${'x'.repeat(2000)}`)
      expect(formatter.isOver).toBe(true)
      expect(frames.map(({ data }) => data).join('')).toContain('"error"')
    }
  },
)
edges.works('13 Buffers: a large answer streams in bounded messages.', async () => {
  const { data } = await askOnce('large')
  expect(Math.max(...data.map((line) => line.length))).toBeLessThanOrEqual(2048)
})
edges.works('14 Index tracking: deltas reach the block of their index.', () => {
  const events = message(
    blockStart(0, { type: 'text', text: '' }),
    blockStart(1, { type: 'tool_use', id: 't', name: 'f', input: {} }),
    blockDelta(1, 'input_json_delta', { partial_json: '{"a":1}' }),
    blockDelta(0, 'text_delta', { text: 'x' }),
    blockStop(0),
    blockStop(1),
  )
  const [text, call] = endOf(readEvents(events)).content
  expect([text?.['text'], call?.['input']]).toEqual(['x', { a: 1 }])
})
edges.works('15 Partial JSON: the received part of the input is a value at every moment.', () => {
  const partial = createPartialJson()
  partial.feed('{"path":"/a.py","content":"print(')
  expect(partial.value).toEqual({ path: '/a.py', content: 'print(' })
})
edges.works('15 Partial JSON: a cut call is reported with its text and is not run.', () => {
  const end = endOf(readEvents(message(...toolBlock(0, 'f', '{"a":1,')).slice(0, 3)))
  expect(end.content).toEqual([])
  expect(end.cut).toMatchObject([{ kind: 'tool_call', text: '{"a":1,' }])
})

/** The edge cases of seed 003. */
export const edgeCaseStatements = edges.statements
