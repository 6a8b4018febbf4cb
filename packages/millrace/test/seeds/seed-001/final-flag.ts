import { expect } from 'vitest'
import {
  blockDelta,
  blockStart,
  blockStop,
  textBlock,
} from '../../support/models/anthropic-events.ts'
import {
  callBlock,
  citedText,
  jsonMessages,
  jsonSteps,
  message,
  wholeBlock,
} from '../support/format-events.ts'
import { contentOf, ofType } from '../support/messages.ts'
import { createSection } from '../support/seed-case.ts'
import { askOnce } from '../support/seed-server.ts'
import { allMessages } from './design.ts'

const sources = createSection('001', 'Emission Sources')
const search = { type: 'web_search_tool_result', tool_use_id: 's', content: [] }
const cited = { type: 'page_location', cited_text: 'c', document_index: 0 }

/** The frames of the formatter for each event of the API: the type, and the event. */
const triggers = [
  ['text', '`text_delta`', textBlock(0, 'a'), 2],
  [
    'thinking',
    '`thinking_delta`',
    [
      blockStart(0, { type: 'thinking', thinking: '', signature: '' }),
      blockDelta(0, 'thinking_delta', { thinking: 'a' }),
      blockStop(0),
    ],
    2,
  ],
  ['citation', '`content_block_stop` of a text with citations', citedText('a', cited), 4],
  [
    'tool_call',
    '`content_block_stop` of a `tool_use`',
    callBlock('tool_use', { id: 't', name: 'f' }, '{}'),
    3,
  ],
  [
    'server_tool_call',
    '`content_block_stop` of a `server_tool_use`',
    callBlock('server_tool_use', { id: 't', name: 'f' }, '{}'),
    3,
  ],
  ['server_tool_result', '`content_block_stop` of a `*_tool_result`', wholeBlock(search), 2],
  ['error', 'the `error` event', [{ type: 'error', error: { type: 'x', message: 'y' } }], 1],
] as const

for (const [type, trigger, events, at] of triggers) {
  sources.works(`\`${type}\` is triggered by ${trigger}.`, () => {
    const steps = jsonSteps(message(...events)).map((messages) => ofType(messages, type).length > 0)
    expect(steps.indexOf(true)).toBe(at)
  })
}
sources.works('The formatter sends none of the agent’s types.', () => {
  const events = triggers.slice(0, 6).flatMap(([, , block]) => message(...block))
  const sent = new Set(jsonMessages(events).map(({ type }) => type))
  const own = ['meta_init', 'meta_final', 'tool_result', 'tool_result_image', 'meta_files']
  for (const type of [...own, 'awaiting_frontend_tools']) expect(sent.has(type)).toBe(false)
})
sources.works('The agent sends the other six types.', async () => {
  const sent = new Set((await allMessages()).map(({ type }) => type))
  const own = ['meta_init', 'meta_final', 'tool_result', 'tool_result_image', 'meta_files']
  for (const type of [...own, 'awaiting_frontend_tools']) expect(sent.has(type)).toBe(true)
})

const flags = createSection('001', 'Final Flag Semantics')

flags.works('Streamed blocks: every delta not final, then an empty final message.', () => {
  const messages = jsonMessages(message(...textBlock(0, 'Hello', ' world')))
  expect(messages.map(({ final, delta }) => [final, delta])).toEqual([
    [false, 'Hello'],
    [false, ' world'],
    [true, ''],
  ])
})
flags.works('Streamed blocks: nothing is buffered, each delta is sent with its event.', () => {
  const steps = jsonSteps(message(...textBlock(0, 'a', 'b', 'c')))
  expect(steps.slice(2, 5).map((messages) => messages.map(({ delta }) => delta))).toEqual([
    ['a'],
    ['b'],
    ['c'],
  ])
})
flags.works('Buffered blocks: the only message is final and has the content.', () => {
  const [only, ...others] = jsonMessages(
    message(...callBlock('tool_use', { id: 't', name: 'f' }, '{"pattern":"TODO"}')),
  )
  expect(others).toEqual([])
  expect(only).toMatchObject({ final: true, delta: '{"pattern":"TODO"}' })
})
flags.works('Buffered blocks in pieces: the last piece is final and has content.', async () => {
  const all = ofType(
    (await askOnce('large', { query: '?extensions=none' })).messages(),
    'tool_result',
  )
  expect(all.at(-1)).toMatchObject({ final: true, delta: expect.stringMatching(/./) })
  expect(all.slice(0, -1).every(({ final }) => !final)).toBe(true)
})
flags.works(
  'Results with images: text, images, empty final marker; images are never final.',
  async () => {
    const all = (await askOnce('everything', { query: '?extensions=none' })).messages()
    const shown = all.filter((one) => one['id'] === 'toolu_03' && one.type !== 'tool_call')
    expect(shown.map(({ type, final, delta }) => [type, final, delta])).toEqual([
      ['tool_result', false, 'Screenshot captured successfully'],
      ['tool_result_image', false, ''],
      ['tool_result_image', false, ''],
      ['tool_result', true, ''],
    ])
  },
)
flags.works('Citations: text final, then each citation, only the last final.', () => {
  const messages = jsonMessages(message(...citedText('t', cited, { ...cited, cited_text: 'd' })))
  expect(messages.slice(1).map(({ type, final, delta }) => [type, final, delta])).toEqual([
    ['text', true, ''],
    ['citation', false, 'c'],
    ['citation', true, 'd'],
  ])
})
flags.works('Every block that was opened is closed, also when the stream breaks.', () => {
  const broken = message(...textBlock(0, 'half')).slice(0, 3)
  const messages = jsonMessages(broken)
  expect(contentOf(messages, 'text')).toBe('half')
  expect(messages.at(-1)?.type).toBe('error')
})

/** Emission and finality in seed 001. */
export const finalFlagStatements = [sources, flags].flatMap(({ statements }) => statements)
