import { expect } from 'vitest'
import { readJsonBody } from '../../../../../spec/seed-clients/index.ts'
import { blockDelta, blockStart, textBlock } from '../../support/models/anthropic-events.ts'
import { jsonMessages, message } from '../support/format-events.ts'
import { contentOf, expectFields, baseFields, jsonOf, ofType } from '../support/messages.ts'
import { createSection } from '../support/seed-case.ts'
import { LONG_QUOTE, PIXEL } from '../support/seed-scenarios.ts'
import { ask, askOnce, withHistory } from '../support/seed-server.ts'

const seedOnly = { query: '?extensions=none' }
const seedHistory = { ...withHistory, ...seedOnly }

/** The second run of a session, after one that made a file. */
async function secondRun() {
  const { session } = await ask('files', seedHistory)
  return (await ask('hello', { ...seedHistory, session })).messages()
}

const init = createSection('001', '`meta_init`')
init.works('`message_history` has the complete conversation, also of earlier runs.', async () => {
  const { message_history: history } = jsonOf(await secondRun(), 'meta_init')
  const roles = (history as { role: string }[]).map(({ role }) => role)
  expect(roles).toEqual(['user', 'assistant', 'user'])
})

const final = createSection('001', '`meta_final`')
final.works('`conversation_history` is the full history, also of earlier runs.', async () => {
  const { conversation_history: history } = jsonOf(await secondRun(), 'meta_final')
  const roles = (history as { role: string }[]).map(({ role }) => role)
  expect(roles).toEqual(['user', 'assistant', 'user', 'assistant'])
})
final.works('`generated_files` lists the files of this run and not of earlier ones.', async () => {
  expect(jsonOf(await secondRun(), 'meta_final')['generated_files']).toBeNull()
})
final.works('It is sent once, also for a run with sub-agents.', async () => {
  const { session, ...stream } = await askOnce('delegate', seedHistory)
  const all = ofType(stream.messages(), 'meta_final').filter((one) => one.final)
  expect(all.map(({ agent }) => agent)).toEqual([session])
})
final.works('It is not sent after an error.', async () => {
  const messages = (await askOnce('fail', seedHistory)).messages()
  expect(ofType(messages, 'error')).toHaveLength(1)
  expect(ofType(messages, 'meta_final')).toEqual([])
})

const citation = createSection('001', '`citation`')
citation.works(
  'With `extensions=none` a citation is one message, however long its text is.',
  async () => {
    const all = ofType((await askOnce('quote', seedOnly)).messages(), 'citation')
    expect(all).toHaveLength(1)
    expect(all[0]?.final).toBe(true)
    expect(Object.hasOwn(all[0] ?? {}, 'more')).toBe(false)
    expect(LONG_QUOTE.startsWith(all[0]?.delta.slice(0, -1) ?? 'none')).toBe(true)
    expect(all[0]?.delta.length).toBeGreaterThan(500)
  },
)
citation.works('Citations in the `citations` of `content_block_stop` are sent.', () => {
  const cited = { type: 'page_location', cited_text: 'c', document_index: 0, start_page_number: 1 }
  const events = [
    blockStart(0, { type: 'text', text: '' }),
    blockDelta(0, 'text_delta', { text: 'Green.' }),
    { type: 'content_block_stop', index: 0, citations: [cited] },
  ]
  const sent = ofType(jsonMessages(message(...events, ...textBlock(1, 'b'))), 'citation')
  expect(sent).toMatchObject([{ delta: 'c', final: true, citation_type: 'page_location' }])
})

const image = createSection('001', '`tool_result_image`')
image.works(
  'A tool that returns content blocks of the API shows its images as images.',
  async () => {
    const messages = (await askOnce('picture', seedOnly)).messages()
    expect(contentOf(messages, 'tool_result')).toBe('one picture')
    expect(ofType(messages, 'tool_result_image').map((one) => one['src'])).toEqual([
      `data:image/png;base64,${PIXEL}`,
    ])
    expectFields(messages, 'tool_result', [...baseFields, 'id', 'name'])
  },
)

const handling = createSection('001', 'Frontend Handling')
handling.works(
  'Long names and addresses are one field in one message with `extensions=none`.',
  async () => {
    const { body } = await askOnce('quote', seedOnly)
    expect(body).not.toContain('"more"')
    const blocks = [...readJsonBody(body).agents.values()].flat()
    expect(blocks.flatMap(({ citations }) => citations)).toHaveLength(1)
  },
)

/** Histories, summaries, citations and images in seed 001. */
export const historyStatements = [init, final, citation, image, handling].flatMap(
  ({ statements }) => statements,
)
