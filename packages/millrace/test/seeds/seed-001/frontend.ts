import { expect } from 'vitest'
import { createTranscript } from '../../../src/client/transcript/index.ts'
import { agentOf } from '../../../src/client/transcript/agents.ts'
import { createFrameReducer } from '../../../src/testing/frame-reducer.ts'
import { decodeEnvelope, type Envelope } from '../../../src/events/index.ts'
import { createJsonClient, readJsonBody } from '../../../../../spec/seed-clients/index.ts'
import { runOnFile } from '../support/command-line.ts'
import { createSection } from '../support/seed-case.ts'
import { answer, ask, askOnce, withHistory } from '../support/seed-server.ts'
import { typesInOrder } from '../support/messages.ts'
import { allRuns } from './design.ts'

const line = (fields: object): string =>
  JSON.stringify({ agent: 'a', final: false, delta: '', ...fields })

/** The texts of an agent's blocks in our own transcript. */
function transcriptOf(messages: readonly Envelope[], agent: string): string[] {
  const start = createTranscript()
  const reduce = createFrameReducer()
  const transcript = messages.reduce((state, one) => reduce(state, one), start)
  const blocks = [...(agentOf(transcript, agent)?.blocks ?? [])]
  return blocks.map((block) => (block.type === 'error' ? '' : block.text))
}

function blocksOf(lines: readonly string[], agent = 'a') {
  const client = createJsonClient()
  for (const one of lines) client.push(one)
  return client.page.agents.get(agent) ?? []
}

const handling = createSection('001', 'Frontend Handling')

handling.works(
  'A client that tracks one open block per agent and type shows a complete run.',
  async () => {
    const { body, session } = await askOnce('everything')
    const page = readJsonBody(body)
    const shown = page.agents.get(session) ?? []
    expect(shown.map(({ type }) => type)).toEqual([
      'meta_init',
      'thinking',
      'text',
      'server_tool_call',
      'server_tool_result',
      'text',
      'tool_call',
      'tool_call',
      'tool_result',
      'tool_result',
      'text',
    ])
    expect(shown.filter(({ isDone }) => !isDone)).toEqual([])
    expect(shown.at(-1)?.content).toBe('All done.')
  },
)
handling.works('Our own transcript shows the same blocks as that client.', async () => {
  const { body, session, ...stream } = await askOnce('everything')
  const ours = transcriptOf(stream.messages(), session)
  const theirs = (readJsonBody(body).agents.get(session) ?? [])
    .filter(({ type }) => !/^meta|tool_result/.test(type))
    .map(({ content }) => content)
  expect(ours).toEqual(theirs)
})
handling.works('A final message closes the block; the next of its type opens another.', () => {
  const lines = [
    line({ type: 'text', delta: 'a' }),
    line({ type: 'text', final: true }),
    line({ type: 'text', delta: 'b' }),
  ]
  expect(blocksOf(lines).map(({ content }) => content)).toEqual(['a', 'b'])
  expect(transcriptOf(lines.map(decodeEnvelope), 'a')).toEqual(['a', 'b'])
})
handling.works('Citations belong to the text block that was completed last.', async () => {
  const { body, session } = await askOnce('everything')
  const texts = (readJsonBody(body).agents.get(session) ?? []).filter(({ type }) => type === 'text')
  expect(texts.map(({ citations }) => citations.length)).toEqual([2, 0, 0])
})
handling.works('Images belong to the `tool_result` that is open.', async () => {
  const { body, session } = await askOnce('everything')
  const shown = readJsonBody(body).agents.get(session) ?? []
  const results = shown.filter(({ type }) => type === 'tool_result')
  expect(results.map(({ images }) => images.length)).toEqual([0, 2])
})
handling.works('No two results of one agent are ever open at once.', async () => {
  for (const stream of await allRuns()) {
    const open = new Map<string, unknown>()
    for (const { type, agent, final, id } of stream.messages()) {
      if (type !== 'tool_result') continue
      expect(open.get(agent) ?? id).toBe(id)
      if (final) open.delete(agent)
      else open.set(agent, id)
    }
  }
})

const routing = createSection('001', 'Multi-Agent Routing')

routing.works('Each sub-agent has an `agent` id of its own.', async () => {
  const { body, session } = await askOnce('delegate')
  expect([...readJsonBody(body).agents.keys()][0]).toBe(session)
  expect(readJsonBody(body).agents.size).toBe(3)
})
routing.works(
  'Messages of several agents on one connection are distinguished by `agent`.',
  async () => {
    const { body, session } = await askOnce('delegate')
    const page = readJsonBody(body)
    const answers = [...page.agents].map(([agent, blocks]) => [
      agent === session,
      blocks.findLast(({ type }) => type === 'text')?.content,
    ])
    expect(answers).toContainEqual([true, 'Both are done.'])
    expect(answers).toContainEqual([false, 'Found the left file.'])
    expect(answers).toContainEqual([false, 'Found the right file.'])
  },
)
routing.works('Interleaved messages, as in the example, give one block each.', () => {
  const lines = [
    line({ type: 'text', agent: 'parent', delta: 'Let me search for that.' }),
    line({ type: 'thinking', agent: 'child', delta: 'I need to find the file...' }),
    line({ type: 'text', agent: 'parent', delta: ' One moment.' }),
    line({ type: 'text', agent: 'child', delta: 'Found the file at src/main.py' }),
  ]
  const textOf = (agent: string) => transcriptOf(lines.map(decodeEnvelope), agent)
  expect(textOf('parent')).toEqual(['Let me search for that. One moment.'])
  expect(textOf('child')).toEqual(['I need to find the file...', 'Found the file at src/main.py'])
  expect(blocksOf(lines, 'child').map(({ content }) => content)).toEqual(textOf('child'))
})

const life = createSection('001', 'Stream Lifecycle')
const seedOnly = { ...withHistory, query: '?extensions=none' }

life.works('A single-agent stream follows the order of the document.', async () => {
  const { data, ...stream } = await askOnce('everything', seedOnly)
  expect([...typesInOrder(stream.messages()), data.at(-1)]).toEqual([
    'meta_init',
    'thinking',
    'text',
    'citation',
    'server_tool_call',
    'server_tool_result',
    'text',
    'tool_call',
    'tool_result',
    'tool_result_image',
    'tool_result',
    'text',
    'meta_final',
    '[DONE]',
  ])
})
life.works('`meta_files` is sent after the content and before `meta_final`.', async () => {
  const order = typesInOrder((await askOnce('files', seedOnly)).messages())
  expect(order.slice(-3)).toEqual(['text', 'meta_files', 'meta_final'])
})
life.works('The loop returns to thinking and text for the next call of the API.', async () => {
  const order = typesInOrder((await askOnce('everything', seedOnly)).messages())
  expect(order.slice(order.lastIndexOf('tool_result') + 1)).toEqual(['text', 'meta_final'])
})
life.works('`[DONE]` ends every stream: after an answer, an error and a pause.', async () => {
  for (const { data } of await allRuns()) expect(data.indexOf('[DONE]')).toBe(data.length - 1)
})
life.works(
  'With frontend tools: calls, results of the server’s tools, then the pause.',
  async () => {
    const { data, ...stream } = await askOnce('confirm', seedOnly)
    expect([...typesInOrder(stream.messages()), data.at(-1)]).toEqual([
      'meta_init',
      'tool_call',
      'tool_result',
      'awaiting_frontend_tools',
      '[DONE]',
    ])
  },
)
life.works('After the results it continues with the frontend tools’ results.', async () => {
  const { session } = await ask('confirm', seedOnly)
  const resumed = await answer(session, { toolu_02: 'yes' }, '?extensions=none')
  expect(typesInOrder(resumed.messages())).toEqual(['tool_result', 'text', 'meta_final'])
})
life.works('Streams of the thirteen types pass `millrace verify --seed`.', async () => {
  for (const { body } of await allRuns()) {
    const { code, said } = await runOnFile(body, 'verify', '--seed')
    expect(code, said).toBe(0)
  }
})
life.works('`millrace verify --seed` refuses a stream whose blocks are not closed.', async () => {
  const body = `data: ${line({ type: 'text', delta: 'x' })}\n\ndata: [DONE]\n\n`
  expect((await runOnFile(body, 'verify', '--seed')).code).not.toBe(0)
})
life.works('Blocks that a run does not have are not sent.', async () => {
  const order = typesInOrder((await askOnce('quote', { query: '?extensions=none' })).messages())
  expect(order).toEqual(['meta_init', 'text', 'citation'])
})
life.differs(
  'The default stream has exactly these messages in this order.',
  'It has `meta_step`, `tool_status` and `meta_end` between them and frames have ids; clients of the document ignore both.',
  async () => {
    const { body, ...stream } = await askOnce('everything')
    expect(typesInOrder(stream.messages()).slice(-2)).toEqual(['meta_step', 'meta_end'])
    expect(body).toMatch(/^id: \d+$/m)
  },
)

/** The operations of clients on a stream in seed 001. */
export const frontendStatements = [handling, routing, life].flatMap(({ statements }) => statements)
