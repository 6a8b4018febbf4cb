import { expect } from 'vitest'
import { createMessageReader } from '../../../src/models/anthropic/index.ts'
import type { JsonObject } from '../../../src/json/index.ts'
import {
  blockDelta,
  blockStart,
  endOf,
  messageEnd,
  readEvents,
  textBlock,
  toBody,
} from '../../support/models/anthropic-events.ts'
import { jsonLines, message, rawData } from '../support/format-events.ts'
import { runOnFile } from '../support/command-line.ts'
import { createSection } from '../support/seed-case.ts'
import { askOnce } from '../support/seed-server.ts'

const start = {
  type: 'message_start',
  message: {
    id: 'msg_1nZdL29xx5MUA1yADyHTEsnR8uuvGzszyY',
    type: 'message',
    role: 'assistant',
    content: [],
    model: 'claude-sonnet-4-20250514',
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 25, output_tokens: 1 },
  },
}

const flow = createSection('003', 'Streaming Event Types')

flow.works('Events are SSE with `event:` and `data:`; a reader takes them so.', () => {
  const body = toBody(message(...textBlock(0, 'Hello')))
  expect(body.startsWith('event: message_start\ndata: {')).toBe(true)
  const reader = jsonLines(message(...textBlock(0, 'Hello')))
  expect(reader).toHaveLength(2)
})
flow.works('A server sends `format=raw` in the same form.', async () => {
  const { body } = await askOnce('hello', { query: '?format=raw' })
  const names = [...body.matchAll(/^event: (\w+)$/gm)].map(([, name]) => name)
  const types = [...body.matchAll(/^data: \{"type":"(\w+)"/gm)].map(([, type]) => type)
  expect(names.length).toBeGreaterThan(5)
  expect(names).toEqual(types)
})
flow.works(
  'A message is start, blocks of start, deltas and stop, message delta, message stop.',
  async () => {
    const { data } = await askOnce('everything', { query: '?format=raw' })
    const types = data.map((line) => String((JSON.parse(line) as JsonObject)['type']))
    expect(types.join(' ')).toMatch(
      /^message_start( content_block_start( content_block_delta)* content_block_stop)+ message_delta message_stop$/,
    )
  },
)
flow.works('`millrace convert` reads a saved stream of the API.', async () => {
  const body = toBody(message(...textBlock(0, 'Hel', 'lo')))
  const { code, output, said } = await runOnFile(
    body,
    'convert',
    '--from',
    'anthropic',
    '--to',
    'text',
  )
  expect(code, said).toBe(0)
  expect(output).toContain('Hello')
})
flow.works('Model events are emitted in that order: start, blocks, end.', () => {
  const types = readEvents(message(...textBlock(0, 'a'), ...textBlock(1, 'b'))).map((e) => e.type)
  const block = ['block_start', 'block_delta', 'block_end']
  expect(types).toEqual(['message_start', ...block, ...block, 'message_end'])
})

const events = createSection('003', 'Event Types')

events.works('`message_start` gives the id and the model of the message.', () => {
  expect(createMessageReader().feed(start)).toEqual([
    {
      type: 'message_start',
      messageId: 'msg_1nZdL29xx5MUA1yADyHTEsnR8uuvGzszyY',
      model: 'claude-sonnet-4-20250514',
    },
  ])
})
events.works('`message_start` has no content yet; blocks follow.', () => {
  expect(endOf(readEvents([start, ...messageEnd()])).content).toEqual([])
})
for (const [type, kind] of Object.entries({
  text: 'text',
  tool_use: 'tool_call',
  thinking: 'thinking',
  server_tool_use: 'server_tool_call',
})) {
  events.works(`\`content_block_start\` of a \`${type}\` opens a block.`, () => {
    const block = { type, id: 'x', name: 'f', input: {} }
    const [, opened] = readEvents([start, blockStart(0, block)])
    expect(opened).toMatchObject({ type: 'block_start', block: 0, kind })
  })
}
for (const [type, fields, block] of [
  ['text_delta', { text: 'Hello' }, { type: 'text', text: '' }],
  [
    'input_json_delta',
    { partial_json: '{"a"' },
    { type: 'tool_use', id: 'x', name: 'f', input: {} },
  ],
  ['thinking_delta', { thinking: 'Hm' }, { type: 'thinking', thinking: '' }],
] as const) {
  events.works(`\`content_block_delta\` with a \`${type}\` grows the block of its index.`, () => {
    const out = readEvents([start, blockStart(0, block), blockDelta(0, type, fields)])
    expect(out[2]).toEqual({ type: 'block_delta', block: 0, text: Object.values(fields)[0] })
  })
}
events.works('`content_block_stop` ends the block of its index.', () => {
  expect(readEvents([start, ...textBlock(0, 'Hello')])[3]).toMatchObject({
    type: 'block_end',
    block: 0,
    content: { type: 'text', text: 'Hello' },
  })
})
for (const [reason, outcome] of Object.entries({
  end_turn: 'finished',
  max_tokens: 'truncated',
  stop_sequence: 'finished',
  tool_use: 'finished',
})) {
  events.works(
    `\`message_delta\` with \`stop_reason: ${reason}\` gives the reason for the end of the message.`,
    () => {
      const end = endOf(readEvents([start, ...textBlock(0, 'a'), ...messageEnd(reason)]))
      expect(end).toMatchObject({ stopReason: reason, outcome })
    },
  )
}
events.works('`message_delta` gives the `stop_sequence` that was met.', () => {
  const delta = { stop_reason: 'stop_sequence', stop_sequence: '###' }
  const stop = [
    { type: 'message_delta', delta, usage: { output_tokens: 15 } },
    { type: 'message_stop' },
  ]
  expect(JSON.stringify(endOf(readEvents([start, ...stop])).details)).toContain('###')
})
events.works('`message_delta` updates the usage.', () => {
  const end = endOf(readEvents([start, ...messageEnd('end_turn', { output_tokens: 15 })]))
  expect(end.usage).toMatchObject({ input_tokens: 25, output_tokens: 15 })
})
events.works('`message_stop` completes the message; without it the message is interrupted.', () => {
  const whole = message(...textBlock(0, 'a'))
  expect(endOf(readEvents(whole)).outcome).toBe('finished')
  expect(endOf(readEvents(whole.slice(0, -2))).outcome).toBe('interrupted')
})
events.works('`ping` changes nothing.', () => {
  const whole = message(...textBlock(0, 'a', 'b'))
  const pinged = whole.flatMap((event) => [{ type: 'ping' }, event])
  expect(readEvents(pinged)).toEqual(readEvents(whole))
})
for (const [type, retriable] of Object.entries({
  overloaded_error: true,
  rate_limit_error: true,
  api_error: true,
  invalid_request_error: false,
})) {
  events.works(`\`error\` of type \`${type}\` ends the message and is its reason.`, () => {
    const error = { type: 'error', error: { type, message: 'Error description' } }
    expect(endOf(readEvents([start, error]))).toMatchObject({
      outcome: 'failed',
      failure: { type, message: 'Error description', retriable },
    })
  })
}
events.works('A raw formatter forwards all of these events unchanged.', () => {
  const all = message(...textBlock(0, 'a'))
  expect(rawData(all).map((line) => JSON.parse(line) as unknown)).toEqual(all)
})

/** The events of seed 003. */
export const eventStatements = [flow, events].flatMap(({ statements }) => statements)
