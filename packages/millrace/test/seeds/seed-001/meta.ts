import { expect } from 'vitest'
import { encodeEnvelope, createVerifier } from '../../../src/events/index.ts'
import { readJsonBody } from '../../../../../spec/seed-clients/index.ts'
import { jsonLines, jsonMessages, message } from '../support/format-events.ts'
import { baseFields, contentOf, expectFields, jsonOf, ofType } from '../support/messages.ts'
import { createSection, type Section } from '../support/seed-case.ts'
import { answer, ask, askOnce, withHistory } from '../support/seed-server.ts'
import { utf8 } from '../support/utf8.ts'

const seedOnly = { query: '?extensions=none' }
const seedHistory = { ...withHistory, ...seedOnly }

/** States that envelopes of a type have the base fields and no others. */
function hasNoExtras(section: Section, type: string, prompt: string): void {
  section.works('It has no fields beside the base fields.', async () =>
    expectFields((await askOnce(prompt, seedHistory)).messages(), type, baseFields),
  )
}

/** Reads lines like a client of the document. */
function shownOf(lines: readonly string[]) {
  return [...readJsonBody(lines.map((line) => `data: ${line}\n\n`).join('')).agents.values()].flat()
}

const init = createSection('001', '`meta_init`')

init.works('It is the first message of a stream and is sent once for a run.', async () => {
  const messages = (await askOnce('everything', seedHistory)).messages()
  expect(messages[0]?.type).toBe('meta_init')
  expect(ofType(messages, 'meta_init').filter(({ final }) => final)).toHaveLength(1)
})
init.works('It is sent before the first call of the API, also if that fails.', async () => {
  expect((await askOnce('fail', seedOnly)).messages()[0]?.type).toBe('meta_init')
})
init.works('Its `delta` is a JSON object as a string.', async () => {
  expect(jsonOf((await askOnce('hello')).messages(), 'meta_init')).toBeTypeOf('object')
})
init.works('Large metadata are cut into several messages.', async () => {
  const prompt = 'x'.repeat(5000)
  const messages = ofType((await ask(prompt)).messages(), 'meta_init')
  expect(messages.length).toBeGreaterThan(2)
  expect(jsonOf(messages, 'meta_init')['user_query']).toBe(prompt)
})
for (const [key, value] of Object.entries({
  format: 'json',
  user_query: 'hello',
  model: 'emulator',
})) {
  init.works(`\`${key}\` is in it and has the documented meaning.`, async () => {
    expect(jsonOf((await askOnce('hello')).messages(), 'meta_init')[key]).toBe(value)
  })
}
init.works('`agent_uuid` is the id of the agent.', async () => {
  const { session, ...stream } = await askOnce('hello')
  expect(jsonOf(stream.messages(), 'meta_init')['agent_uuid']).toBe(session)
})
init.works(
  '`message_history` is in it when `stream_meta_history_and_tool_results` is on.',
  async () => {
    const { message_history } = jsonOf(
      (await askOnce('hello', withHistory)).messages(),
      'meta_init',
    )
    expect(message_history).toEqual([{ role: 'user', content: [{ type: 'text', text: 'hello' }] }])
  },
)
init.works('`message_history` is not in it otherwise.', async () => {
  const payload = jsonOf((await askOnce('hello')).messages(), 'meta_init')
  expect(Object.hasOwn(payload, 'message_history')).toBe(false)
})
init.works('`format` is `xml` for a reader of XML.', async () => {
  const { data } = await askOnce('hello', { query: '?format=xml' })
  expect(data[0]).toContain('&quot;format&quot;:&quot;xml&quot;')
})
init.differs(
  '`format` is `raw` for a reader of the raw format.',
  'A raw stream is a stream of the Messages API, which the official SDK reads; it has no `meta_init` and no `[DONE]`.',
  async () => {
    const { data } = await askOnce('hello', { query: '?format=raw' })
    expect(JSON.parse(data[0] ?? '')).toMatchObject({ type: 'message_start' })
    expect(JSON.parse(data.at(-1) ?? '')).toEqual({ type: 'message_stop' })
  },
)
init.works('The example in two pieces is read as one object.', () => {
  const lines = [
    '{"type":"meta_init","agent":"abc-123","final":false,"delta":"{\\"format\\":\\"json\\",\\"user_query\\":\\"He"}',
    '{"type":"meta_init","agent":"abc-123","final":true,"delta":"llo\\",\\"model\\":\\"claude-sonnet-4-5\\"}"}',
  ]
  const verifier = createVerifier({ needsEnd: false })
  expect([...lines.flatMap((line) => verifier.push(line)), ...verifier.end(true)]).toEqual([])
  expect(JSON.parse(shownOf(lines)[0]?.content ?? '')).toMatchObject({ user_query: 'Hello' })
})
hasNoExtras(init, 'meta_init', 'hello')

const final = createSection('001', '`meta_final`')

final.works('It is sent only when `stream_meta_history_and_tool_results` is on.', async () => {
  expect(ofType((await askOnce('hello')).messages(), 'meta_final')).toEqual([])
  expect(ofType((await askOnce('hello', withHistory)).messages(), 'meta_final')).not.toEqual([])
})
final.works('It is not sent when the run pauses for frontend tools.', async () => {
  expect(ofType((await askOnce('confirm', withHistory)).messages(), 'meta_final')).toEqual([])
})
final.works('It is sent when a paused run has been resumed and ends.', async () => {
  const { session } = await ask('confirm', seedHistory)
  const resumed = await answer(session, { toolu_02: 'yes' }, '?extensions=none')
  expect(ofType(resumed.messages(), 'meta_final')).toHaveLength(1)
})
final.works('It is the last message before `[DONE]`.', async () => {
  const { data, ...stream } = await askOnce('everything', seedHistory)
  expect(stream.messages().at(-1)?.type).toBe('meta_final')
  expect(data.at(-1)).toBe('[DONE]')
})
const everythingFinal = async () =>
  jsonOf((await askOnce('everything', seedHistory)).messages(), 'meta_final')
final.works('`conversation_history` holds the messages of the run, in order.', async () => {
  const { conversation_history: history } = await everythingFinal()
  const roles = (history as { role: string }[]).map(({ role }) => role)
  expect(roles).toEqual(['user', 'assistant', 'user', 'assistant'])
})
final.works('`stop_reason` is the reason for the end of the run.', async () => {
  expect((await everythingFinal())['stop_reason']).toBe('end_turn')
})
final.works('`total_steps` counts the calls of the API.', async () => {
  expect((await everythingFinal())['total_steps']).toBe(2)
})
final.works('`generated_files` is null for a run without files.', async () => {
  expect((await everythingFinal())['generated_files']).toBeNull()
})
final.works('`generated_files` lists the files of a run that made some.', async () => {
  const { generated_files: files } = jsonOf(
    (await askOnce('files', seedHistory)).messages(),
    'meta_final',
  )
  expect(files).toMatchObject([{ file_id: 'file_01', filename: 'report.pdf' }])
})
final.works('`cost` is null where no price is known.', async () => {
  expect((await everythingFinal())['cost']).toBeNull()
})
final.works('`cumulative_usage` has the totals of all steps.', async () => {
  const { cumulative_usage: usage } = await everythingFinal()
  expect(usage).toMatchObject({ input_tokens: expect.any(Number), output_tokens: 43 })
})
final.differs(
  '`conversation_history` holds the messages exactly as the API has them.',
  'Signatures, encrypted fields and file data stay on the server: a page cannot use them.',
  async () => {
    const history = JSON.stringify((await everythingFinal())['conversation_history'])
    expect(history).toContain('I should look it up.')
    expect(history).not.toMatch(/"signature"|"encrypted_content"/)
  },
)
final.works('A summary without a history, as in the example, is read.', () => {
  const delta = '{"stop_reason":"end_turn","total_steps":3,"cost":null,"cumulative_usage":{}}'
  const line = encodeEnvelope({ type: 'meta_final', agent: 'abc-123', final: true, delta })
  expect(createVerifier({ needsEnd: false, isResumed: true }).push(line)).toEqual([])
  expect(JSON.parse(shownOf([line])[0]?.content ?? '')).toMatchObject({ total_steps: 3 })
})
hasNoExtras(final, 'meta_final', 'hello')

const awaiting = createSection('001', '`awaiting_frontend_tools`')

awaiting.works('It is sent when the model calls a tool of the browser.', async () => {
  expect(ofType((await askOnce('confirm')).messages(), 'awaiting_frontend_tools')).toHaveLength(1)
})
awaiting.works('It is sent again when the resumed run calls another one.', async () => {
  const { session } = await ask('confirm twice', seedOnly)
  const resumed = await answer(session, { toolu_01: 'yes' }, '?extensions=none')
  expect(jsonOf(resumed.messages(), 'awaiting_frontend_tools')).toMatchObject([
    { tool_use_id: 'toolu_02' },
  ])
})
awaiting.works(
  '`delta` is a JSON array of calls with `tool_use_id`, `name` and `input`.',
  async () => {
    const calls = jsonOf((await askOnce('confirm')).messages(), 'awaiting_frontend_tools')
    const input = { question: 'Continue?' }
    expect(calls).toEqual([{ tool_use_id: 'toolu_02', name: 'user_confirm', input }])
  },
)
awaiting.works(
  'Results are sent with `POST /agent/tool_results`, and the run continues.',
  async () => {
    const { session } = await ask('confirm')
    const resumed = await answer(session, { toolu_02: 'yes' })
    expect(contentOf(resumed.messages(), 'text')).toBe('Thank you.')
  },
)
awaiting.works('Calls of the server’s own tools are not listed.', async () => {
  const body = (await askOnce('confirm')).messages()
  expect(contentOf(body, 'awaiting_frontend_tools')).not.toContain('grep_search')
})
hasNoExtras(awaiting, 'awaiting_frontend_tools', 'confirm')

const files = createSection('001', '`meta_files`')

files.works('It is sent when a run has made files.', async () => {
  expect(ofType((await askOnce('files')).messages(), 'meta_files')).toHaveLength(1)
  expect(ofType((await askOnce('hello')).messages(), 'meta_files')).toEqual([])
})
files.works(
  '`delta` is an object with `files`, each with `file_id`, `filename` and `storage_location`.',
  async () => {
    expect(jsonOf((await askOnce('files')).messages(), 'meta_files')).toEqual({
      files: [
        {
          file_id: 'file_01',
          filename: 'report.pdf',
          storage_location: 'https://files.example.com/file_01',
        },
      ],
    })
  },
)
files.works('A large list in pieces, as in the example, is read as one object.', () => {
  const lines = [
    '{"type":"meta_files","agent":"abc-123","final":false,"delta":"{\\"files\\":[{\\"file_id\\":\\"file_01\\",\\"filename\\":\\"report.pdf\\",\\"storage_lo"}',
    '{"type":"meta_files","agent":"abc-123","final":true,"delta":"cation\\":\\"https://...\\"}]}"}',
  ]
  const verifier = createVerifier({ needsEnd: false, isResumed: true })
  expect(lines.flatMap((line) => verifier.push(line))).toEqual([])
  expect(JSON.parse(shownOf(lines)[0]?.content ?? '').files).toHaveLength(1)
})
hasNoExtras(files, 'meta_files', 'files')

const error = createSection('001', '`error`')
const apiError = { type: 'error', error: { type: 'api_error', message: 'rate_limit' } }

error.works('An `error` event of the API becomes one `error` message.', () => {
  const messages = jsonMessages([...message().slice(0, 1), apiError])
  expect(ofType(messages, 'error')).toHaveLength(1)
  expect(ofType(messages, 'error')[0]).toMatchObject({ final: true })
})
error.works('`delta` has the type and the message of the error.', () => {
  const messages = jsonMessages([...message().slice(0, 1), apiError])
  expect(jsonOf(messages, 'error')).toMatchObject({ type: 'api_error', message: 'rate_limit' })
})
error.works('A long message is cut like any buffered payload.', () => {
  const long = { ...apiError, error: { type: 'api_error', message: 'é'.repeat(3000) } }
  const lines = jsonLines([...message().slice(0, 1), long])
  expect(lines.length).toBeGreaterThan(2)
  expect(Math.max(...lines.map(utf8))).toBeLessThanOrEqual(2048)
})
error.works('The server sends it too, and then ends the stream.', async () => {
  const { data, ...stream } = await askOnce('fail', seedOnly)
  expect(stream.messages().at(-1)?.type).toBe('error')
  expect(data.at(-1)).toBe('[DONE]')
})
error.differs(
  'Every `error` event of the API becomes an `error` message.',
  'An agent tries a step again when the error may pass; only an error that ends the run is sent.',
  async () => {
    const messages = (await ask('overloaded once')).messages()
    expect(ofType(messages, 'error')).toEqual([])
    expect(ofType(messages, 'rollback')).toHaveLength(1)
  },
)
error.differs(
  '`delta` is the payload of the API as it is.',
  'It has `type` and `message` of the API, and `code` and `retriable` beside them; nothing else leaves the server.',
  () => {
    const odd = { type: 'error', error: { type: 'api_error', message: 'm', secret: 's' } }
    const payload = jsonOf(jsonMessages([...message().slice(0, 1), odd]), 'error')
    expect(Object.keys(payload).sort()).toEqual(['code', 'message', 'retriable', 'type'])
  },
)
hasNoExtras(error, 'error', 'fail')

export const metaStatements = [init, final, awaiting, files, error].flatMap(
  ({ statements }) => statements,
)
