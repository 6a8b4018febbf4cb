import { afterEach, expect, test } from 'vitest'
import { createAgent } from '../../src/agent/create-agent.ts'
import { createMemoryStore } from '../../src/stores/memory/index.ts'
import { createGatedModel } from '../support/agents/gated-model.ts'
import { createTestServers, errorOf, pendingIds, upTo } from '../support/servers/test-servers.ts'
import type { TestServerOptions } from '../support/servers/test-server.ts'
import { readStream, typesOf } from '../support/frames/read-stream.ts'
import { createWaitingStore } from '../support/stores/waiting-store.ts'

const testServers = createTestServers()

afterEach(testServers.close)

/** On a memory store every call ends before another request is read, so no race can be lost. */
const open = (options: TestServerOptions = {}, seed = 1) =>
  testServers.open({ store: createWaitingStore(createMemoryStore(), { seed }), ...options })

const count = (types: readonly string[], type: string): number =>
  types.filter((one) => one === type).length

test('a prompt to a session with an active run is rejected', async () => {
  const model = createGatedModel()
  const server = await open({ agents: { demo: createAgent({ name: 'demo', model }) } })
  const session = crypto.randomUUID()
  const body = { agent_uuid: session, user_prompt: 'go' }
  const responses = await Promise.all(
    Array.from({ length: 5 }, () => server.post('/agent/run', body)),
  )
  const [running, ...more] = responses.filter(({ status }) => status === 200)
  expect(more).toEqual([])
  const [refused] = responses.filter(({ status }) => status === 409)
  expect(await errorOf(refused!)).toMatchObject({
    code: 'conflict',
    message: expect.stringContaining(`GET /agent/${session}/stream`),
  })
  model.release()
  expect((await readStream(running!)).isDone).toBe(true)
  expect((await server.post('/agent/run', body)).status).toBe(200)
})

test('the same answer a hundred times at once is accepted once', async () => {
  const { ask, answer, watch } = await open()
  const { session, ...paused } = await ask('/demo frontend')
  const [id = ''] = pendingIds(paused)
  const streams = await Promise.all(upTo(100).map(() => answer(session, { [id]: 'yes' })))
  const log = await watch(session)
  expect(count(typesOf(log), 'tool_result')).toBe(1)
  for (const { frames, isDone } of streams) {
    expect(isDone).toBe(true)
    expect(frames).toEqual(log.frames.slice(paused.frames.length))
  }
})

test.each([4, 7])('the same answer at any moment runs the model once (%i)', async (seed) => {
  const { ask, answer, watch, errors } = await open({}, seed)
  const askAndAnswer = async (): Promise<void> => {
    const { session, ...paused } = await ask('/demo frontend')
    const [id = ''] = pendingIds(paused)
    const streams = await Promise.all(
      upTo(12).map(async (n) => {
        await new Promise((resolve) => setTimeout(resolve, n * 3))
        return answer(session, { [id]: 'yes' })
      }),
    )
    const log = await watch(session)
    expect(count(typesOf(log), 'meta_end')).toBe(2)
    const rest = { isDone: true, frames: log.frames.slice(paused.frames.length) }
    for (const stream of streams) expect(stream).toMatchObject(rest)
  }
  for (let round = 0; round < 10; round++) await askAndAnswer()
  expect(errors).toEqual([])
})

test('of different concurrent answers one is accepted, and the others get a conflict', async () => {
  const { ask, post, watch } = await open()
  const { session, ...paused } = await ask('/demo frontend')
  const [tool_use_id = ''] = pendingIds(paused)
  const answers = upTo(10).map((n) =>
    post('/agent/tool_results', {
      agent_uuid: session,
      tool_results: [{ tool_use_id, content: `answer ${n}` }],
    }),
  )
  const responses = await Promise.all(answers)
  expect(responses.filter(({ status }) => status === 200)).toHaveLength(1)
  expect(responses.filter(({ status }) => status === 409)).toHaveLength(9)
  await Promise.all(responses.map((response) => response.text()))
  expect(count(typesOf(await watch(session)), 'tool_result')).toBe(1)
})

test('an answer sent as soon as the question arrives is accepted', async () => {
  const { post, answer } = await open()
  for (let round = 0; round < 10; round++) {
    const session = crypto.randomUUID()
    const body = { agent_uuid: session, user_prompt: '/demo frontend' }
    const seen = await readStream(await post('/agent/run', body), (stream) =>
      stream.frames.some(({ data }) => data.includes('awaiting_frontend_tools')),
    )
    const [id = ''] = pendingIds(seen)
    expect(typesOf(await answer(session, { [id]: 'yes' })).at(-1)).toBe('meta_end')
  }
})
