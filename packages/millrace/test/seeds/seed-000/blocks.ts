import { expect } from 'vitest'
import { type Envelope } from '../../../src/events/index.ts'
import { createLegacyXmlTextDecoder } from '../../../src/legacy-xml/decode/text-decoder.ts'
import { xmlToEnvelopes } from '../../../src/legacy-xml/convert.ts'
import { readXmlBody, type ShownBlock } from '../../../../../spec/seed-clients/index.ts'
import { createSection, type Section } from '../support/seed-case.ts'
import { LARGE_SEARCH, PIXEL } from '../support/seed-scenarios.ts'
import { ask, askOnce, withHistory } from '../support/seed-server.ts'
import { utf8 } from '../support/utf8.ts'

const xmlHistory = { ...withHistory, query: '?format=xml' }

/** The blocks of a type that a client of the document shows. */
async function shown(prompt: string, type: string): Promise<ShownBlock[]> {
  const { body } = await askOnce(prompt, xmlHistory)
  return [...readXmlBody(body).agents.values()].flat().filter((block) => block.type === type)
}

/** The element of the stream that begins with a text. */
async function element(prompt: string, start: string): Promise<string> {
  const { data } = await askOnce(prompt, xmlHistory)
  return data.find((one) => one.startsWith(start)) ?? ''
}

/** The envelopes of our decoder for an example: the same for SSE messages and plain text. */
function decode(example: string): Envelope[] {
  const envelopes = [...xmlToEnvelopes([example], { agent: 'a' })]
  const decoder = createLegacyXmlTextDecoder({ agent: 'a' })
  expect([...decoder.feed(example), ...decoder.finish()]).toEqual(envelopes)
  return envelopes
}

/** States that our decoder reads an example of the document. */
function readsExample(section: Section, what: string, example: string, wanted: object): void {
  section.works(`The example ${what} is read.`, () => {
    const [first] = decode(example)
    expect(first).toMatchObject(wanted)
  })
}

const parsed = (block: ShownBlock | undefined) => JSON.parse(block?.content ?? 'null')

const init = createSection('000', '`meta_init`')
init.works('Its one attribute `data` is escaped JSON, its body empty.', async () => {
  expect(await element('hello', '<meta_init')).toMatch(
    /^<meta_init data="\{&quot;[^"<]*\}"><\/meta_init>$/,
  )
})
for (const [key, value] of Object.entries({
  format: 'xml',
  user_query: 'hello',
  model: 'emulator',
}))
  init.works(`\`${key}\` is in \`data\`.`, async () => {
    expect(parsed((await shown('hello', 'meta_init'))[0])[key]).toBe(value)
  })
init.works('`agent_uuid` is in `data`.', async () => {
  const { session } = await askOnce('hello', xmlHistory)
  expect(parsed((await shown('hello', 'meta_init'))[0]).agent_uuid).toBe(session)
})
init.works('A prompt of blocks is in `user_query` as JSON.', async () => {
  const { session, body } = await ask([{ type: 'text', text: 'hello' }], { query: '?format=xml' })
  const [only] = readXmlBody(body).agents.get(session) ?? []
  expect(JSON.parse(parsed(only).user_query)).toEqual([{ type: 'text', text: 'hello' }])
})
init.works(
  '`message_history` is in `data` only with `stream_meta_history_and_tool_results`.',
  async () => {
    expect(parsed((await shown('hello', 'meta_init'))[0]).message_history).toHaveLength(1)
    expect((await askOnce('hello', { query: '?format=xml' })).body).not.toContain('message_history')
  },
)
init.differs(
  '`format` may be `raw`.',
  'A raw stream has no `meta_init`: it is a stream of the Messages API for the official SDK.',
  async () => {
    expect((await askOnce('hello', { query: '?format=raw' })).body).not.toContain('meta_init')
  },
)
readsExample(
  init,
  'of a `meta_init`',
  '<meta_init data="{&quot;format&quot;:&quot;xml&quot;,&quot;user_query&quot;:&quot;Hello&quot;,&quot;agent_uuid&quot;:&quot;abc-123&quot;,&quot;model&quot;:&quot;claude-sonnet-4-5&quot;}"></meta_init>',
  {
    type: 'meta_init',
    agent: 'abc-123',
    final: true,
    delta:
      '{"format":"xml","user_query":"Hello","agent_uuid":"abc-123","model":"claude-sonnet-4-5"}',
  },
)

const streamedSections = (['thinking', 'text'] as const).map((type) => {
  const section = createSection('000', `\`content-block-${type}\``)
  section.works('It has no attributes.', async () => {
    expect((await askOnce('hello', xmlHistory)).data).toContain(`<content-block-${type}>`)
  })
  section.works('Its body is streamed text, and its closing tag follows.', async () => {
    const { data } = await askOnce('hello', xmlHistory)
    const from = data.indexOf(`<content-block-${type}>`)
    const to = data.indexOf(`</content-block-${type}>`)
    const text = type === 'text' ? 'Hello world' : 'The user is asking about grass.'
    expect(to - from).toBeGreaterThan(2)
    expect(data.slice(from + 1, to).join('')).toBe(text)
  })
  section.works('The example is read.', () => {
    const example = [`<content-block-${type}>`, 'I found', ' it.', `</content-block-${type}>`]
    const envelopes = [...xmlToEnvelopes(example, { agent: 'a' })]
    expect(envelopes.map(({ type: of }) => of)).not.toContain('error')
    expect(envelopes.map(({ delta }) => delta).join('')).toBe('I found it.')
    expect(envelopes.at(-1)).toMatchObject({ type, final: true, delta: '' })
  })
  section.works('The example in one message is read as well.', () => {
    const envelopes = decode(`<content-block-${type}>I found it.</content-block-${type}>`)
    expect(envelopes[0]).toMatchObject({ type, delta: 'I found it.' })
  })
  return section
})

const callSections = (['tool_call', 'server_tool_call'] as const).map((type) => {
  const isServer = type === 'server_tool_call'
  const section = createSection('000', `\`content-block-${type}\``)
  const id = isServer ? 'srvtoolu_01' : 'toolu_01'
  const name = isServer ? 'web_search' : 'grep_search'
  const input = isServer ? { query: 'ai news' } : { pattern: 'TODO', path: 'src/' }
  for (const [attribute, value] of Object.entries({ id, name }))
    section.works(`\`${attribute}\` is an attribute.`, async () => {
      expect((await shown('everything', type))[0]?.fields[attribute]).toBe(value)
    })
  section.works('`arguments` is an attribute with an escaped JSON object.', async () => {
    expect(parsed((await shown('everything', type))[0])).toEqual(input)
  })
  section.works('Its body is empty.', async () => {
    const written = await element('everything', `<content-block-${type}`)
    expect(written.endsWith(`"></content-block-${type}>`)).toBe(true)
  })
  readsExample(
    section,
    `of a \`${type}\``,
    `<content-block-${type} id="${id}" name="${name}" arguments="{&quot;a&quot;:&quot;TODO&quot;}"></content-block-${type}>`,
    { type, final: true, id, name, delta: '{"a":"TODO"}' },
  )
  return section
})

const result = createSection('000', '`content-block-tool_result`')
result.works('`id` and `name` are attributes.', async () => {
  expect((await shown('everything', 'tool_result')).map(({ fields }) => fields)).toMatchObject([
    { id: 'toolu_01', name: 'grep_search' },
    { id: 'toolu_03', name: 'screenshot' },
  ])
})
result.works('A text result is one CDATA section.', async () => {
  expect(await element('everything', '<content-block-tool_result id="toolu_01"')).toBe(
    '<content-block-tool_result id="toolu_01" name="grep_search"><![CDATA[Found 4 matches in src/]]></content-block-tool_result>',
  )
})
result.works('A result with images has `<text>` and one `<image>` each.', async () => {
  const written = await element('everything', '<content-block-tool_result id="toolu_03"')
  expect(written).toContain('<text><![CDATA[Screenshot captured successfully]]></text><image ')
  expect(written.match(/<image /g)).toHaveLength(2)
})
result.works('`image` has `src` and `media_type`.', async () => {
  const [, screenshot] = await shown('everything', 'tool_result')
  expect(screenshot?.images).toEqual([
    { src: `data:image/png;base64,${PIXEL}`, mediaType: 'image/png' },
    { src: 'https://example.com/b.jpg', mediaType: 'image/jpeg' },
  ])
})
readsExample(
  result,
  'of a text result',
  '<content-block-tool_result id="toolu_01" name="grep_search"><![CDATA[Found 4 matches]]></content-block-tool_result>',
  {
    type: 'tool_result',
    id: 'toolu_01',
    name: 'grep_search',
    delta: 'Found 4 matches',
    final: true,
  },
)
result.works('The example of a result with an image is read.', () => {
  const example = [
    '<content-block-tool_result id="toolu_img_01" name="image_tool">',
    '  <text><![CDATA[Generated image successfully]]></text>',
    '  <image src="data:image/png;base64,AAA..." media_type="image/png" />',
    '</content-block-tool_result>',
  ].join('\n')
  expect(decode(example)).toMatchObject([
    { type: 'tool_result', final: false, delta: 'Generated image successfully' },
    { type: 'tool_result_image', src: 'data:image/png;base64,AAA...', media_type: 'image/png' },
    { type: 'tool_result', final: true, delta: '' },
  ])
})

const serverResult = createSection('000', '`content-block-server_tool_result`')
serverResult.works('`id` is the call’s id, `name` the type of the result.', async () => {
  expect((await shown('everything', 'server_tool_result'))[0]?.fields).toMatchObject({
    id: 'srvtoolu_01',
    name: 'web_search_tool_result',
  })
})
serverResult.works('Its body is CDATA with the content as JSON.', async () => {
  const [only] = await shown('everything', 'server_tool_result')
  expect(parsed(only)).toEqual(LARGE_SEARCH)
  const written = await element('everything', '<content-block-server_tool_result')
  expect(written).toContain('><![CDATA[[')
  expect(utf8(written)).toBeGreaterThan(2048)
})
readsExample(
  serverResult,
  'of a search',
  '<content-block-server_tool_result id="srvtoolu_01" name="web_search_tool_result"><![CDATA[{"results":[{"title":"Example"}]}]]></content-block-server_tool_result>',
  { id: 'srvtoolu_01', name: 'web_search_tool_result', delta: '{"results":[{"title":"Example"}]}' },
)

/** The content blocks of seed 000. */
export const blockStatements = [
  init,
  ...streamedSections,
  ...callSections,
  result,
  serverResult,
].flatMap(({ statements }) => statements)
