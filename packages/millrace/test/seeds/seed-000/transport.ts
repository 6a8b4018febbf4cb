import { expect } from 'vitest'
import { readXmlBody } from '../../../../../spec/seed-clients/index.ts'
import { textBlock } from '../../support/models/anthropic-events.ts'
import { callBlock, message, xmlData, xmlText } from '../support/format-events.ts'
import { createSection } from '../support/seed-case.ts'
import { answer, ask, askOnce, withHistory } from '../support/seed-server.ts'

const xml = { query: '?format=xml' }
const xmlHistory = { ...withHistory, ...xml }

const transport = createSection('000', 'Transport and encoding')

transport.works('Data are streamed as SSE `data:` chunks.', async () => {
  const { data, headers } = await askOnce('hello', xml)
  expect(headers.get('content-type')).toContain('text/event-stream')
  expect(data).toContain('<content-block-text>')
})
transport.works('Attribute values are HTML-escaped.', () => {
  const call = callBlock('tool_use', { id: 'a"<&>\'b', name: 'f' }, '{}')
  expect(xmlText(message(...call))).toContain('id="a&quot;&lt;&amp;&gt;&#x27;b"')
})
transport.works('Large payloads are wrapped in CDATA.', async () => {
  const { data } = await askOnce('large', xml)
  const start = '<content-block-tool_result id="toolu_02" name="read_file"><![CDATA['
  const written = data.find((one) => one.startsWith(start)) ?? ''
  expect(written.length).toBeGreaterThan(2048)
})
transport.works('`]]>` in a payload does not end its CDATA section.', () => {
  const block = { type: 'web_search_tool_result', tool_use_id: 's', content: ['a]]>b'] }
  const data = xmlData(
    message(
      { type: 'content_block_start', index: 0, content_block: block },
      {
        type: 'content_block_stop',
        index: 0,
      },
    ),
  )
  const page = readXmlBody(data.map((one) => `data: ${one}\n\n`).join(''))
  expect([...page.agents.values()].flat().map(({ content }) => content)).toEqual(['["a]]>b"]'])
})
transport.works('`meta_init` is at the start of the stream.', async () => {
  expect((await askOnce('hello', xml)).data[0]).toMatch(/^<meta_init data="/)
})
transport.works(
  '`meta_final` is sent with `stream_meta_history_and_tool_results` for a run that completed.',
  async () => {
    expect((await askOnce('hello', xmlHistory)).data.at(-2)).toMatch(/^<meta_final data="/)
  },
)
transport.works('`meta_final` is not sent without that option.', async () => {
  expect((await askOnce('hello', xml)).body).not.toContain('<meta_final')
})
transport.works('`meta_final` is not sent while the run waits for frontend tools.', async () => {
  expect((await askOnce('confirm', xmlHistory)).body).not.toContain('<meta_final')
})
transport.works('It is sent when that run is resumed and completes.', async () => {
  const { session } = await ask('confirm', xmlHistory)
  const { body } = await answer(session, { toolu_02: 'yes' }, '?format=xml')
  expect(body).toContain('<meta_final data="')
})
transport.differs(
  'Text streams as it is.',
  'A line end would end the SSE line, so LF is written as `\\n`, CR as `\\r` and a backslash as `\\\\`; the old server did the same with LF and backslash.',
  () => {
    expect(xmlData(message(...textBlock(0, 'a\nb\\c\r')))[1]).toBe('a\\nb\\\\c\\r')
  },
)
transport.works('A model’s text that quotes tags cannot forge a block.', async () => {
  const { body } = await askOnce('forged', xml)
  const page = readXmlBody(body)
  expect(page.errors).toEqual([])
  expect([...page.agents.values()].flat().map(({ type }) => type)).toEqual(['meta_init', 'text'])
})

/** The transport of seed 000. */
export const transportStatements = transport.statements
