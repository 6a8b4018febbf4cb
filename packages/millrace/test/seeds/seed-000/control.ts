import { expect } from 'vitest'
import { createLegacyXmlDecoder } from '../../../src/legacy-xml/decode/message-decoder.ts'
import { xmlToEnvelopes } from '../../../src/legacy-xml/convert.ts'
import { decodeEnvelope } from '../../../src/events/index.ts'
import { readXmlBody } from '../../../../../spec/seed-clients/index.ts'
import { citedText, message, xmlData, xmlText } from '../support/format-events.ts'
import { runOnFile } from '../support/command-line.ts'
import { createSection } from '../support/seed-case.ts'
import { ask, askOnce, withHistory } from '../support/seed-server.ts'

const xmlHistory = { ...withHistory, query: '?format=xml' }
const pageOf = async (prompt: string) => readXmlBody((await askOnce(prompt, xmlHistory)).body)
const decode = (...data: readonly string[]) => [...xmlToEnvelopes(data, { agent: 'a' })]

const citations = createSection('000', '`citations` and `citation`')
const sets = {
  char_location: {
    document_index: 0,
    document_title: 'My Doc',
    start_char_index: 10,
    end_char_index: 35,
  },
  page_location: {
    document_index: 1,
    document_title: 'Book',
    start_page_number: 3,
    end_page_number: 4,
  },
  web_search_result_location: { url: 'https://example.com/?a=1&b=2', title: 'A "title"' },
}
const toAttributes = (fields: object): Record<string, string> =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, String(value)]))
const pageOfData = (data: readonly string[]) =>
  readXmlBody(data.map((one) => `data: ${one}\n\n`).join(''))

citations.works('`citations` has no attributes and follows its text.', () => {
  const data = xmlData(message(...citedText('t', { type: 'page_location', cited_text: 'c' })))
  const at = data.findIndex((one) => one.startsWith('<citations>'))
  expect(data[at - 1]).toBe('</content-block-text>')
})
for (const [type, fields] of Object.entries(sets)) {
  const names = Object.keys(fields).map((name) => `\`${name}\``)
  citations.works(`\`type="${type}"\` has ${names.join(', ')}.`, () => {
    const data = xmlData(message(...citedText('t', { type, cited_text: 'Quoted', ...fields })))
    const [text] = [...pageOfData(data).agents.values()].flat()
    expect(text?.citations).toEqual([{ type, ...toAttributes(fields), cited_text: 'Quoted' }])
  })
}
citations.works(
  'Another type has at least its `type`, and `document_index` if there is one.',
  () => {
    const xml = xmlText(
      message(...citedText('t', { type: 'new_location', cited_text: 'c', document_index: 2 })),
    )
    expect(xml).toContain('<citation type="new_location" document_index="2">')
  },
)
citations.works('The body is the cited text in CDATA.', () => {
  const xml = xmlText(message(...citedText('t', { type: 'page_location', cited_text: 'a < b' })))
  expect(xml).toContain('<![CDATA[a < b]]></citation></citations>')
})
citations.works('Several citations of one text are in one `citations`.', async () => {
  const { body } = await askOnce('everything', xmlHistory)
  expect(body.match(/<citations>/g)).toHaveLength(1)
  expect(body.match(/<citation /g)).toHaveLength(2)
})
citations.works('The example is read.', () => {
  const example = [
    '<citations>',
    '  <citation type="char_location" document_index="0" document_title="My Doc" start_char_index="10" end_char_index="35"><![CDATA[Quoted source text]]></citation>',
    '</citations>',
  ].join('\n')
  const text = ['<content-block-text>', 'x', '</content-block-text>']
  expect(decode(...text, example).at(-1)).toEqual({
    type: 'citation',
    agent: 'a',
    final: true,
    delta: 'Quoted source text',
    citation_type: 'char_location',
    ...sets.char_location,
  })
})

const awaiting = createSection('000', '`awaiting_frontend_tools`')
awaiting.works(
  '`data` is an escaped JSON array of `tool_use_id`, `name` and `input`.',
  async () => {
    const input = { question: 'Continue?' }
    expect((await pageOf('confirm')).pending).toEqual([
      { tool_use_id: 'toolu_02', name: 'user_confirm', input },
    ])
  },
)
awaiting.works('The example is read.', () => {
  const [only] = decode(
    '<awaiting_frontend_tools data="[{&quot;tool_use_id&quot;:&quot;toolu_01&quot;,&quot;name&quot;:&quot;user_confirm&quot;,&quot;input&quot;:{&quot;question&quot;:&quot;Continue?&quot;}}]"></awaiting_frontend_tools>',
  )
  expect(JSON.parse(only?.delta ?? '')).toMatchObject([{ tool_use_id: 'toolu_01' }])
  expect(only).toMatchObject({ type: 'awaiting_frontend_tools', final: true })
})

const files = createSection('000', '`content-block-meta_files`')
files.works('It has no attributes; its body is CDATA with `files`.', async () => {
  const { data } = await askOnce('files', xmlHistory)
  const start = '<content-block-meta_files><![CDATA['
  const written = data.find((one) => one.startsWith(start)) ?? ''
  const json = written.slice(start.length, -']]></content-block-meta_files>'.length)
  expect(JSON.parse(json).files).toMatchObject([{ file_id: 'file_01', filename: 'report.pdf' }])
})
files.works('The example is read.', () => {
  const body =
    '{"files":[{"file_id":"file_01","filename":"report.pdf","storage_location":"https://..."}]}'
  const example = `<content-block-meta_files><![CDATA[${body}]]></content-block-meta_files>`
  expect(decode(example)).toMatchObject([{ type: 'meta_files', final: true, delta: body }])
})

const error = createSection('000', '`content-block-error`')
error.works('It has no attributes; its body is CDATA with the error.', async () => {
  const { data } = await askOnce('fail', xmlHistory)
  const written = data.find((one) => one.startsWith('<content-block-error>')) ?? ''
  expect(written).toMatch(/^<content-block-error><!\[CDATA\[\{.*\}\]\]><\/content-block-error>$/)
  expect((await pageOf('fail')).errors).toMatchObject([{ type: 'invalid_request_error' }])
})
error.works('The example is read.', () => {
  const body = '{"type":"api_error","message":"rate_limit"}'
  const example = `<content-block-error><![CDATA[${body}]]></content-block-error>`
  expect(decode(example)).toMatchObject([{ type: 'error', final: true, delta: body }])
})

const final = createSection('000', '`meta_final`')
const finalOf = async (prompt: string) => {
  const blocks = [...(await pageOf(prompt)).agents.values()].flat()
  return JSON.parse(blocks.findLast(({ type }) => type === 'meta_final')?.content ?? '{}')
}
final.works('Its one attribute `data` is escaped JSON.', async () => {
  const { data } = await askOnce('hello', xmlHistory)
  expect(data.at(-2)).toMatch(/^<meta_final data="\{&quot;[^"<]*\}"><\/meta_final>$/)
})
for (const [key, wanted] of Object.entries({
  conversation_history: expect.any(Array),
  stop_reason: 'end_turn',
  total_steps: 2,
  generated_files: null,
  cost: null,
  cumulative_usage: expect.objectContaining({ input_tokens: expect.any(Number) }),
}))
  final.works(`\`${key}\` is in \`data\`.`, async () => {
    const payload = await finalOf('everything')
    expect(Object.hasOwn(payload, key)).toBe(true)
    expect(payload[key]).toEqual(wanted)
  })
final.works('The example is read.', () => {
  const [only] = decode(
    '<meta_final data="{&quot;stop_reason&quot;:&quot;end_turn&quot;,&quot;total_steps&quot;:3,&quot;generated_files&quot;:null}"></meta_final>',
  )
  expect(only).toMatchObject({ type: 'meta_final', final: true })
  expect(JSON.parse(only?.delta ?? '')).toMatchObject({ total_steps: 3 })
})

const compatibility = createSection('000', 'Parser-accepted compatibility tags')
for (const tag of ['content-block-web_search_tool_result', 'bash_code_execution_tool_result'])
  compatibility.works(`\`<${tag}>\` is read as a \`server_tool_result\`.`, () => {
    const [only] = decode(`<${tag} id="s" name=""><![CDATA[{"a":1}]]></${tag}>`)
    expect(only).toMatchObject({ type: 'server_tool_result', id: 's', delta: '{"a":1}' })
  })
compatibility.works('Without a `name` attribute the tag names the result.', () => {
  const tag = 'content-block-web_search_tool_result'
  const [only] = decode(`<${tag} id="s"><![CDATA[{}]]></${tag}>`)
  expect(only?.['name']).toBe('web_search_tool_result')
})
compatibility.works('Backend emission uses the canonical tags only.', async () => {
  const { body } = await askOnce('everything', xmlHistory)
  expect(body).toContain('<content-block-server_tool_result ')
  expect(body).not.toContain('<content-block-web_search_tool_result')
})
for (const tag of ['chart', 'table'])
  compatibility.differs(
    `\`<${tag}>\` inside a text is an element of its own.`,
    'It stays part of the text, which a page may render in any way: text of a model never becomes structure.',
    () => {
      const decoder = createLegacyXmlDecoder({ agent: 'a' })
      const data = ['<content-block-text>', `a <${tag} x="1">b</${tag}> c`, '</content-block-text>']
      const text = data.flatMap((one) => decoder.feed(one)).map(({ delta }) => delta)
      expect(text.join('')).toBe(`a <${tag} x="1">b</${tag}> c`)
    },
  )
compatibility.works('A run converted from XML to JSON and back is the same.', async () => {
  const { body } = await ask('everything', xmlHistory)
  const page = readXmlBody(body)
  const lines = body
    .split('\n')
    .flatMap((line) => (line.startsWith('data: ') ? [line.slice(6)] : []))
  const envelopes = decode(...lines)
  expect(envelopes.map((one) => decodeEnvelope(JSON.stringify(one)))).toEqual(envelopes)
  const texts = envelopes.filter(({ type }) => type === 'text').map(({ delta }) => delta)
  const shown = [...page.agents.values()].flat().filter(({ type }) => type === 'text')
  expect(texts.join('')).toBe(shown.map(({ content }) => content).join(''))
})

compatibility.works(
  '`millrace convert` turns a saved XML run into JSON that `verify --seed` accepts.',
  async () => {
    const { body } = await askOnce('everything', xmlHistory)
    const { code, output, said } = await runOnFile(body, 'convert', '--from', 'xml', '--to', 'json')
    expect(code, said).toBe(0)
    const verified = await runOnFile(output, 'verify', '--seed')
    expect(verified.code, verified.said).toBe(0)
  },
)

/** Citations, control tags and compatibility of seed 000. */
export const controlStatements = [citations, awaiting, files, error, final, compatibility].flatMap(
  ({ statements }) => statements,
)
