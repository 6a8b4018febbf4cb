import { expect } from 'vitest'
import type { JsonObject } from '../../../src/json/index.ts'
import {
  blockDelta,
  blockStart,
  blockStop,
  endOf,
  messageEnd,
  messageStart,
  readEvents,
  textBlock,
} from '../../support/models/anthropic-events.ts'
import { jsonMessages, message } from '../support/format-events.ts'
import { createSection } from '../support/seed-case.ts'
import { askOnce } from '../support/seed-server.ts'
import { jsonOf } from '../support/messages.ts'

const contentOf = (...events: readonly JsonObject[]) =>
  endOf(readEvents(message(...events))).content

const blocks = createSection('003', 'Content Block Types')

blocks.works('A text block starts empty and grows by `text_delta`.', () => {
  expect(contentOf(...textBlock(0, 'Hel', 'lo'))).toEqual([{ type: 'text', text: 'Hello' }])
})
blocks.works('Text in the start of a block is kept as well.', () => {
  const start = blockStart(0, { type: 'text', text: 'Hel' })
  const rest = [blockDelta(0, 'text_delta', { text: 'lo' }), blockStop(0)]
  expect(contentOf(start, ...rest)).toEqual([{ type: 'text', text: 'Hello' }])
  expect(jsonMessages(message(start, ...rest)).map(({ delta }) => delta)).toEqual(['Hel', 'lo', ''])
})
for (const type of ['tool_use', 'server_tool_use'] as const) {
  const id = type === 'tool_use' ? 'toolu_1' : 'srvtoolu_1'
  blocks.works(`A \`${type}\` starts with id, name and empty input.`, () => {
    const [, start] = readEvents([
      messageStart(),
      blockStart(0, { type, id, name: 'f', input: {} }),
    ])
    expect(start).toMatchObject({ content: { type, id, name: 'f', input: {} } })
  })
  blocks.works(`The input of a \`${type}\` is the joined \`input_json_delta\`s.`, () => {
    const pieces = ['{"param": "val', 'ue", "n": ', '[1, 2]}']
    const deltas = pieces.map((partial_json) => blockDelta(0, 'input_json_delta', { partial_json }))
    const start = blockStart(0, { type, id, name: 'f', input: {} })
    expect(contentOf(start, ...deltas, blockStop(0))).toEqual([
      { type, id, name: 'f', input: { param: 'value', n: [1, 2] } },
    ])
  })
}
const thinking = [
  blockStart(0, { type: 'thinking', thinking: '', signature: '' }),
  blockDelta(0, 'thinking_delta', { thinking: 'Let me ' }),
  blockDelta(0, 'thinking_delta', { thinking: 'think...' }),
]
blocks.works('A thinking block grows by `thinking_delta`.', () => {
  const texts = readEvents(message(...thinking, blockStop(0))).flatMap((event) =>
    event.type === 'block_delta' ? [event.text] : [],
  )
  expect(texts).toEqual(['Let me ', 'think...'])
})
blocks.works('`signature_delta` signs the thinking; it is returned to the API unchanged.', () => {
  const signature = blockDelta(0, 'signature_delta', { signature: 'EqQBCgIYAh' })
  expect(contentOf(...thinking, signature, blockStop(0))).toEqual([
    { type: 'thinking', thinking: 'Let me think...', signature: 'EqQBCgIYAh' },
  ])
})
const found = [{ type: 'web_search_result', title: 'T', url: 'u', encrypted_content: 'x=' }]
const result = { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: found }
blocks.works('A `web_search_tool_result` is complete in its start, without deltas.', () => {
  expect(contentOf(blockStart(0, result), blockStop(0))).toEqual([result])
  expect(jsonMessages(message(blockStart(0, result), blockStop(0)))).toMatchObject([
    { type: 'server_tool_result', id: 'srvtoolu_1', name: 'web_search_tool_result' },
  ])
})

const deltas = createSection('003', 'Delta Types')
for (const [type, field, block] of [
  ['text_delta', 'text', { type: 'text', text: '' }],
  ['input_json_delta', 'partial_json', { type: 'tool_use', id: 'x', name: 'f', input: {} }],
  ['thinking_delta', 'thinking', { type: 'thinking', thinking: '', signature: '' }],
] as const) {
  deltas.works(`\`${type}\` carries its piece in \`${field}\`.`, () => {
    const events = [blockStart(0, block), blockDelta(0, type, { [field]: 'piece' })]
    const out = readEvents([messageStart(), ...events])
    expect(out[2]).toMatchObject({ type: 'block_delta', text: 'piece' })
  })
}
deltas.works('`signature_delta` carries `signature`, which is not shown to readers.', () => {
  const signature = blockDelta(0, 'signature_delta', { signature: 'secret' })
  const sent = jsonMessages(message(...thinking, signature, blockStop(0)))
  expect(JSON.stringify(sent)).not.toContain('secret')
})
deltas.differs(
  'There are four types of delta.',
  'The API also sends `citations_delta` and `compaction_delta`; they are read, and unknown ones change nothing but a notice.',
  () => {
    const citation = { type: 'page_location', cited_text: 'c', start_page_number: 1 }
    const events = [
      blockStart(0, { type: 'text', text: '', citations: [] }),
      blockDelta(0, 'citations_delta', { citation }),
      blockDelta(0, 'new_delta', { x: 1 }),
      blockStop(0),
    ]
    expect(contentOf(...events)).toEqual([{ type: 'text', text: '', citations: [citation] }])
    const notices = readEvents(message(...events)).filter(({ type }) => type === 'notice')
    expect(notices).toHaveLength(1)
  },
)

const usage = createSection('003', 'Usage Tracking')
usage.works('The first usage is in `message_start`.', () => {
  const first = messageStart({ usage: { input_tokens: 25, output_tokens: 1 } })
  expect(endOf(readEvents([first])).usage).toMatchObject({ input_tokens: 25, output_tokens: 1 })
})
usage.works('`message_delta` updates it; counts are cumulative, not added up.', () => {
  const first = messageStart({ usage: { input_tokens: 25, output_tokens: 1 } })
  const twice = [10, 15].map((output_tokens) => ({
    type: 'message_delta',
    delta: {},
    usage: { output_tokens },
  }))
  expect(endOf(readEvents([first, ...twice])).usage).toMatchObject({
    input_tokens: 25,
    output_tokens: 15,
  })
})
usage.works('The final usage has server tool usage as well.', () => {
  const server_tool_use = { web_search_requests: 2 }
  const end = endOf(readEvents([messageStart(), ...messageEnd('end_turn', { server_tool_use })]))
  expect(end.usage).toMatchObject({ server_tool_use })
})
usage.works('A run adds up the usage of its messages.', async () => {
  const messages = (await askOnce('everything')).messages()
  const steps = messages.filter(({ type }) => type === 'meta_step')
  const tokens = steps.map(({ delta }) => JSON.parse(delta).usage.output_tokens as number)
  const total = jsonOf(messages, 'meta_end')['usage'] as { output_tokens: number }
  expect(tokens).toHaveLength(2)
  expect(total.output_tokens).toBe((tokens[0] ?? 0) + (tokens[1] ?? 0))
})

/** Blocks, deltas and usage of seed 003. */
export const apiBlockStatements = [blocks, deltas, usage].flatMap(({ statements }) => statements)
