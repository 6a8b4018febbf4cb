import { expect } from 'vitest'
import {
  AGENT,
  callBlock,
  jsonMessages,
  jsonSteps,
  message,
  wholeBlock,
} from '../support/format-events.ts'
import { baseFields, contentOf, expectFields, ofType } from '../support/messages.ts'
import { createSection } from '../support/seed-case.ts'
import { LARGE_INPUT, LARGE_RESULT, LARGE_SEARCH, PIXEL } from '../support/seed-scenarios.ts'
import { answer, ask, askOnce } from '../support/seed-server.ts'

const seedOnly = { query: '?extensions=none' }
const everything = async () => (await askOnce('everything', seedOnly)).messages()
const large = async () => (await askOnce('large', seedOnly)).messages()

const callKinds = [
  {
    type: 'tool_call',
    block: 'tool_use',
    id: 'toolu_01',
    name: 'grep_search',
    pieces: ['{"pattern":"TODO",', '"path":"src/"}'],
  },
  {
    type: 'server_tool_call',
    block: 'server_tool_use',
    id: 'srvtoolu_01',
    name: 'web_search',
    pieces: ['{"query":', '"latest ai news"}'],
  },
] as const

const callSections = callKinds.map(({ type, block, id, name, pieces }) => {
  const section = createSection('001', `\`${type}\``)
  const events = message(...callBlock(block, { id, name }, ...pieces))
  section.works(
    'It is buffered while its arguments stream, and sent at `content_block_stop`.',
    () => {
      const steps = jsonSteps(events)
      expect(steps.slice(0, 4)).toEqual([[], [], [], []])
      expect(steps[4]).toHaveLength(1)
    },
  )
  section.works('The message of the example results from these events.', () => {
    const delta = pieces.join('')
    expect(jsonMessages(events)).toEqual([{ type, agent: AGENT, final: true, delta, id, name }])
  })
  section.works('Its extra fields are `id` and `name`.', () =>
    expectFields(jsonMessages(events), type, [...baseFields, 'id', 'name']),
  )
  section.works(
    'Large arguments are cut into several messages, and only the last is final.',
    () => {
      const input = JSON.stringify(LARGE_INPUT)
      const messages = jsonMessages(message(...callBlock(block, { id, name }, input)))
      expect(messages.length).toBeGreaterThan(3)
      expect(messages.map(({ final }) => final).lastIndexOf(false)).toBe(messages.length - 2)
      expect(messages.every((one) => one['id'] === id && one['name'] === name)).toBe(true)
      expect(contentOf(messages, type) === input).toBe(true)
    },
  )
  return section
})
const [toolCall, serverToolCall] = callSections as [
  (typeof callSections)[number],
  (typeof callSections)[number],
]
toolCall.works('`delta` is the JSON of the arguments object.', async () => {
  expect(JSON.parse(contentOf(await large(), 'tool_call'))).toEqual(LARGE_INPUT)
})
toolCall.works('`id` is that of the `tool_result` that answers it.', async () => {
  const ids = (type: string) => async () =>
    new Set(ofType(await everything(), type).map((m) => m['id']))
  expect(await ids('tool_result')()).toEqual(await ids('tool_call')())
})
toolCall.differs(
  '`delta` is valid JSON if `final` is true.',
  'The arguments are passed on byte for byte; if the model is interrupted inside them (`max_tokens`) they are not complete JSON, and the call is not run.',
  () => {
    const events = callBlock('tool_use', { id: 't', name: 'f' }, '{"a":[1,')
    const messages = jsonMessages(message(...events))
    expect(contentOf(messages, 'tool_call')).toBe('{"a":[1,')
  },
)
serverToolCall.works('Calls of tools that the provider runs have this type.', async () => {
  expect(ofType(await everything(), 'server_tool_call')).toMatchObject([
    { id: 'srvtoolu_01', name: 'web_search', delta: '{"query":"ai news"}' },
  ])
})

const result = createSection('001', '`tool_result`')

result.works('It is sent after a tool of the server has run.', async () => {
  const types = (await everything()).map(({ type }) => type)
  expect(types.indexOf('tool_result')).toBeGreaterThan(types.lastIndexOf('tool_call'))
})
result.works('It is sent for a frontend tool when its result arrives.', async () => {
  const { session } = await ask('confirm', seedOnly)
  const messages = (await answer(session, { toolu_02: 'yes' }, '?extensions=none')).messages()
  expect(messages[0]).toMatchObject({
    type: 'tool_result',
    final: true,
    id: 'toolu_02',
    name: 'user_confirm',
    delta: 'yes',
  })
})
result.works('The server sends the example of a text result.', async () => {
  const { agent = '', ...message } = ofType(await everything(), 'tool_result')[0] ?? {}
  expect(agent).not.toBe('')
  expect(message).toEqual({
    type: 'tool_result',
    final: true,
    id: 'toolu_01',
    name: 'grep_search',
    delta: 'Found 4 matches in src/',
  })
})
result.works('A large result is chunked, and joins to the return value of the tool.', async () => {
  const messages = await large()
  expect(ofType(messages, 'tool_result').length).toBeGreaterThan(2)
  expect(contentOf(messages, 'tool_result') === LARGE_RESULT).toBe(true)
})
result.works('Its extra fields are `id` and `name`.', async () =>
  expectFields(await everything(), 'tool_result', [...baseFields, 'id', 'name']),
)
result.differs(
  'Its extra fields are `id` and `name` in the default stream as well.',
  'A failed result also has `is_error`, so that a page can show it; `extensions=none` leaves it out.',
  async () => {
    const failed = ofType((await ask('unknown tool')).messages(), 'tool_result')
    expect(failed).toMatchObject([{ is_error: true }])
    const plain = ofType((await ask('unknown tool', seedOnly)).messages(), 'tool_result')
    expectFields(plain, 'tool_result', [...baseFields, 'id', 'name'])
  },
)
const screenshot = async () =>
  (await everything()).filter((one) => one['id'] === 'toolu_03' && one.type !== 'tool_call')
result.works('A result with images begins with its text, not final.', async () => {
  const [first] = await screenshot()
  expect(first).toMatchObject({
    type: 'tool_result',
    final: false,
    delta: 'Screenshot captured successfully',
  })
})
result.works('Its images follow, one message each.', async () => {
  const types = (await screenshot()).map(({ type }) => type)
  expect(types).toEqual(['tool_result', 'tool_result_image', 'tool_result_image', 'tool_result'])
})
result.works('It is closed by an empty final `tool_result`.', async () => {
  expect((await screenshot()).at(-1)).toMatchObject({ type: 'tool_result', final: true, delta: '' })
})

const image = createSection('001', '`tool_result_image`')
const images = async () => ofType(await everything(), 'tool_result_image')

image.works('`final` is always false.', async () => {
  expect((await images()).map(({ final }) => final)).toEqual([false, false])
})
image.works('`delta` is always empty.', async () => {
  expect((await images()).map(({ delta }) => delta)).toEqual(['', ''])
})
image.works('`id` and `name` are those of the result around it.', async () => {
  for (const one of await images())
    expect(one).toMatchObject({ id: 'toolu_03', name: 'screenshot' })
})
image.works('`src` is a data URI or a URL, `media_type` its type.', async () => {
  expect((await images()).map((one) => [one['src'], one['media_type']])).toEqual([
    [`data:image/png;base64,${PIXEL}`, 'image/png'],
    ['https://example.com/b.jpg', 'image/jpeg'],
  ])
})
image.works('Its extra fields are `id`, `name`, `src` and `media_type`.', async () =>
  expectFields(await images(), 'tool_result_image', [
    ...baseFields,
    'id',
    'name',
    'src',
    'media_type',
  ]),
)
image.differs(
  'An image of any size is a data URI in one message.',
  'An image that does not fit into a message is stored by the server, and `src` is its address, `/agent/{uuid}/images/{id}`.',
  async () => {
    const { session, ...stream } = await ask('large picture', seedOnly)
    const [only] = ofType(stream.messages(), 'tool_result_image')
    expect(String(only?.['src'])).toMatch(new RegExp(`/agent/${session}/images/`))
  },
)

const serverResult = createSection('001', '`server_tool_result`')
const found = [{ type: 'web_search_result', title: 'Result 1', url: 'https://example.com' }]
const searchBlock = wholeBlock({
  type: 'web_search_tool_result',
  tool_use_id: 'srvtoolu_01',
  content: found,
})

serverResult.works('It is buffered and sent at `content_block_stop`.', () => {
  const steps = jsonSteps(message(...searchBlock))
  expect(steps.map((messages) => messages.length)).toEqual([0, 0, 1, 0, 0])
})
serverResult.works('`id` is that of the `server_tool_call`, `name` the type of the block.', () => {
  expect(jsonMessages(message(...searchBlock))).toMatchObject([
    { type: 'server_tool_result', id: 'srvtoolu_01', name: 'web_search_tool_result', final: true },
  ])
})
for (const name of ['web_search_tool_result', 'bash_code_execution_tool_result']) {
  serverResult.works(`A block of type \`${name}\` becomes one.`, () => {
    const block = { type: name, tool_use_id: 's', content: { type: `${name}_x`, stdout: 'y' } }
    const [only] = jsonMessages(message(...wholeBlock(block)))
    expect(only).toMatchObject({ type: 'server_tool_result', name })
    expect(JSON.parse(only?.delta ?? '')).toEqual(block.content)
  })
}
serverResult.works('`delta` is the content of the block as JSON.', () => {
  expect(
    JSON.parse(contentOf(jsonMessages(message(...searchBlock)), 'server_tool_result')),
  ).toEqual(found)
})
serverResult.works('A large result is cut, and only the last message is final.', async () => {
  const all = ofType(await everything(), 'server_tool_result')
  expect(all.length).toBeGreaterThan(2)
  expect(all.map(({ final }) => final).indexOf(true)).toBe(all.length - 1)
  expect(JSON.parse(contentOf(all, 'server_tool_result'))).toEqual(LARGE_SEARCH)
})
serverResult.works(
  'A formatter leaves it out when `stream_tool_results` is off (`toolResults: false`).',
  () => {
    expect(jsonMessages(message(...searchBlock), { toolResults: false })).toEqual([])
  },
)
serverResult.differs(
  'A server sends it only when `stream_tool_results` is on.',
  'A server always sends it: a call without a result looks like one that hangs.',
  async () => {
    expect(ofType((await askOnce('everything')).messages(), 'server_tool_result')).not.toEqual([])
  },
)

/** Calls and results of seed 001. */
export const toolStatements = [...callSections, result, image, serverResult].flatMap(
  ({ statements }) => statements,
)
