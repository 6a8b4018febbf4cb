import { expect } from 'vitest'
import { readJsonBody, readXmlBody } from '../../../../../spec/seed-clients/index.ts'
import { baseFields, ofType } from '../support/messages.ts'
import { createSection } from '../support/seed-case.ts'
import { askOnce, withHistory } from '../support/seed-server.ts'
import { allMessages } from './design.ts'

/** The extra fields that the table of the document allows. */
const extraFields: Readonly<Record<string, readonly string[]>> = {
  meta_init: [],
  thinking: [],
  text: [],
  citation: [
    'citation_type',
    'document_index',
    'document_title',
    'start_char_index',
    'end_char_index',
    'start_page_number',
    'end_page_number',
    'url',
    'title',
  ],
  tool_call: ['id', 'name'],
  server_tool_call: ['id', 'name'],
  tool_result: ['id', 'name'],
  tool_result_image: ['id', 'name', 'src', 'media_type'],
  server_tool_result: ['id', 'name'],
  awaiting_frontend_tools: [],
  meta_files: [],
  error: [],
  meta_final: [],
}

const reference = createSection('001', 'Complete Type Reference')

for (const [type, extras] of Object.entries(extraFields)) {
  const list = extras.length === 0 ? 'none' : extras.map((name) => `\`${name}\``).join(', ')
  reference.works(`\`${type}\`: extra fields ${list}.`, async () => {
    const messages = ofType(await allMessages(), type)
    expect(messages.length).toBeGreaterThan(0)
    const allowed = [...baseFields, ...extras]
    for (const message of messages)
      expect(Object.keys(message).filter((name) => !allowed.includes(name))).toEqual([])
  })
}

const migration = createSection('001', 'Migration from Legacy XML Format')
const tags: Readonly<Record<string, string>> = {
  '<meta_init data="...">': 'meta_init',
  '<content-block-thinking>': 'thinking',
  '<content-block-text>': 'text',
  '<content-block-tool_call ...>': 'tool_call',
  '<content-block-server_tool_call ...>': 'server_tool_call',
  '<content-block-tool_result ...>': 'tool_result',
  '<content-block-server_tool_result ...>': 'server_tool_result',
  '<awaiting_frontend_tools data="...">': 'awaiting_frontend_tools',
  '<content-block-meta_files>': 'meta_files',
  '<content-block-error>': 'error',
  '<meta_final data="...">': 'meta_final',
}
const prompts = ['everything', 'confirm', 'fail', 'files']

async function contentsIn(format: 'json' | 'xml', type: string): Promise<string[]> {
  const query = format === 'xml' ? '?format=xml' : '?extensions=none'
  const streams = await Promise.all(prompts.map((one) => askOnce(one, { ...withHistory, query })))
  const read = format === 'xml' ? readXmlBody : readJsonBody
  const blocks = streams.flatMap(({ body }) => [...read(body).agents.values()].flat())
  return blocks.filter((block) => block.type === type).map(({ content }) => content)
}

/** Ids, run ids, token counts and the name of the format differ between any two runs. */
const withoutIds = (content: string): string =>
  content
    .replace(/[\da-f]{8}-[\da-f-]{27}/g, 'id')
    .replace('"format":"xml"', '"format":"json"')
    .replace(/_tokens":\d+/g, '_tokens":0')

for (const [tag, type] of Object.entries(tags)) {
  migration.works(`\`${tag}\` is \`${type}\`: both formats show the same content.`, async () => {
    const [json, xml] = [await contentsIn('json', type), await contentsIn('xml', type)]
    expect(json.length).toBeGreaterThan(0)
    expect(xml.map(withoutIds)).toEqual(json.map(withoutIds))
  })
}
migration.works('`<citations><citation ...>` is `citation`: the same passages.', async () => {
  const [json, xml] = await Promise.all([
    askOnce('everything', { query: '?extensions=none' }),
    askOnce('everything', { query: '?format=xml' }),
  ])
  const cited = (blocks: ReturnType<typeof readXmlBody>) =>
    [...blocks.agents.values()]
      .flat()
      .flatMap(({ citations }) => citations.map((c) => c['cited_text']))
  expect(cited(readXmlBody(xml.body))).toEqual(cited(readJsonBody(json.body)))
  expect(cited(readJsonBody(json.body))).toHaveLength(2)
})

/** The tables at the end of seed 001. */
export const referenceStatements = [reference, migration].flatMap(({ statements }) => statements)
