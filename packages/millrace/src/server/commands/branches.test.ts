import { afterEach, describe, expect, test } from 'vitest'
import {
  call,
  confirm,
  createGate,
  text,
  tool,
} from '../../../test/support/agents/agent-harness.ts'
import { setUpChild, spawn } from '../../../test/support/agents/family.ts'
import {
  createScriptedModel,
  type ScriptedReply,
} from '../../../test/support/agents/scripted-model.ts'
import type { Agent } from '../../agent/port/agent.ts'
import { type AgentOptions, createAgent } from '../../agent/create-agent.ts'
import { type AgentEvent, noUsage } from '../../events/index.ts'
import { defaultProtocols } from '../../protocols/registry/index.ts'
import { createMemoryStore } from '../../stores/memory/index.ts'
import type { Store } from '../../stores/port/index.ts'
import { createHandler, type Handler } from '../handler.ts'
import type { HandlerOptions } from '../handler-options.ts'

const session = '00000000-0000-4000-8000-000000000000'
const branch = '11111111-1111-4111-8111-111111111111'
const other = '22222222-2222-4222-8222-222222222222'
const handlers: Handler[] = []

afterEach(async () => {
  await Promise.all(handlers.splice(0).map((handler) => handler.close()))
})

/** A server with one agent, and the requests of these tests. */
function open(
  replies: readonly ScriptedReply[],
  options: Partial<AgentOptions> = {},
  server: Partial<HandlerOptions> = {},
) {
  const model = createScriptedModel(replies)
  const agent = createAgent({ name: 'miller', model, ...options })
  const store = createMemoryStore()
  const agents = { miller: agent }
  const handler = createHandler({ agents, defaultAgent: 'miller', store, ...server })
  handlers.push(handler)
  const send = async (path: string, body?: object) => {
    const post = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }
    return handler.fetch(new Request(`http://localhost${path}`, body && post))
  }
  const read = async (path: string, body?: object) => (await send(path, body)).text()
  const ask = (prompt: string, more: object = {}) =>
    read('/agent/run', { agent_uuid: session, user_prompt: prompt, ...more })
  const fork = async (after?: number, more: object = {}) => {
    const response = await send(`/agent/${session}/fork`, { after, branch_uuid: branch, ...more })
    return { status: response.status, ...((await response.json()) as Record<string, unknown>) }
  }
  const frames = async (of: string): Promise<readonly string[]> => {
    const stream = await read(`/agent/${of}/stream?after=0&compact=0`)
    return stream.split('\n').filter((line) => line.startsWith('data: {'))
  }
  const cuts = async (of: string) => {
    const found = await store.parts(of, 'cuts', { after: -1, limit: 100 })
    return found.map(({ number }) => number)
  }
  /** The last request to the model, a line for each message. */
  const asked = () =>
    (model.requests.at(-1)?.messages ?? []).map(({ role, content }) => {
      const said = content.map((block) => block['text'] ?? block['content'] ?? block.type)
      return `${role}: ${said.map((one) => (typeof one === 'string' ? one : JSON.stringify(one))).join(' + ')}`
    })
  return { model, store, handler, send, read, ask, fork, frames, cuts, asked }
}

const typesOf = (lines: readonly string[]) =>
  lines.map((line) => (JSON.parse(line.slice(6)) as { type: string }).type)

const grinding = [
  { content: [call('t1', 'grind')] },
  { content: [text('ground')] },
  { content: [text('two')] },
  { content: [text('new')] },
  { content: [text('again')] },
]
const grind = tool('grind', () => 'flour')

describe('a fork point [BRANCH-2]', () => {
  test('is the end of a step after its results, or the end of a run', async () => {
    const { ask, frames, cuts } = open(grinding, { tools: [grind] })
    await ask('first')
    await ask('second')
    const types = typesOf(await frames(session))
    const last = (await cuts(session)).map((id) => types[id - 1])
    expect(last).toEqual(['tool_result', 'meta_end', 'meta_end'])
  })

  test('is named by the error if the given one is invalid', async () => {
    const { ask, fork, cuts } = open(grinding, { tools: [grind] })
    await ask('first')
    const [step = 0, end = 0] = await cuts(session)
    const error = { code: 'conflict', before: step, after: end }
    expect(await fork(step + 1)).toMatchObject({ status: 409, error })
    const first = { code: 'conflict', before: 0, after: step }
    expect(await fork(1)).toMatchObject({ status: 409, error: first })
    const beyond = { code: 'conflict', before: end, after: null }
    const refused = await fork(end + 10)
    expect(refused).toMatchObject({ status: 409, error: beyond })
    const message = `Session ${session} cannot be forked after frame ${end + 10}: its last frame is ${end}. Fork it after ${end}.`
    expect(refused).toMatchObject({ error: { message } })
  })
})

describe('a branch', () => {
  test('replays the bytes of its parent and continues with its own [BRANCH-1] [BRANCH-4]', async () => {
    const { ask, fork, frames, cuts, asked, read } = open(grinding, { tools: [grind] })
    await ask('first')
    await ask('second')
    const [, end = 0] = await cuts(session)
    expect(await fork(end, { title: 'Another way' })).toMatchObject({
      status: 200,
      agent_uuid: branch,
      title: 'Another way',
      forked_from: session,
      after: end,
      tail: end,
    })
    const before = await frames(session)
    const answer = await read('/agent/run', { agent_uuid: branch, user_prompt: 'other' })
    expect(answer).toContain('"new"')
    expect(asked()).toEqual([
      'user: first',
      'assistant: tool_use',
      'user: flour',
      'assistant: ground',
      'user: other',
    ])
    const shown = await frames(branch)
    expect(shown.slice(0, end)).toEqual(before.slice(0, end))
    expect(await frames(session)).toEqual(before)
    const [line = ''] = shown.slice(end)
    const init = JSON.parse(line.slice(6)) as { agent: string; delta: string }
    expect(init.agent).toBe(session)
    expect(JSON.parse(init.delta)).toMatchObject({
      agent_uuid: branch,
      user_query: 'other',
      forked_from: { agent_uuid: session, id: end },
    })
    expect(JSON.parse(await read(`/agent/${branch}`))).toMatchObject({
      agent_uuid: branch,
      total_runs: 2,
      forked_from: { agent_uuid: session, after: end },
    })
  })

  test('without a frame is empty while the first run has no results, and has the earlier runs during another', async () => {
    const waiting = { content: [text('flour')], hangs: 'until_aborted' } as const
    const { send, ask, fork, cuts, handler } = open([waiting, { content: [text('one')] }, waiting])
    const start = () => send('/agent/run', { agent_uuid: session, user_prompt: 'go' })
    await (await start()).body?.cancel()
    expect(await fork()).toMatchObject({ status: 200, after: 0 })
    await send(`/agent/${session}/stop`, {})
    await expect.poll(() => handler.activity().runs).toBe(0)
    await ask('more')
    const [end = 0] = (await cuts(session)).slice(-1)
    await (await start()).body?.cancel()
    expect(await fork(undefined, { branch_uuid: other })).toMatchObject({ status: 200, after: end })
  })

  test('in the middle of a run stops that run, and keeps its results', async () => {
    const { ask, fork, frames, cuts, asked, read } = open(grinding, { tools: [grind] })
    await ask('first')
    const [step = 0] = await cuts(session)
    expect(await fork(step)).toMatchObject({ status: 200, after: step })
    const shown = await frames(branch)
    expect(shown.slice(0, step)).toEqual((await frames(session)).slice(0, step))
    expect(shown.at(-1)).toContain('aborted')
    expect(JSON.parse(await read(`/agent/${branch}`))).toMatchObject({ stop_reason: 'aborted' })
    await read('/agent/run', { agent_uuid: branch, user_prompt: 'go on' })
    expect(asked()).toEqual(['user: first', 'assistant: tool_use', 'user: flour + go on'])
  })

  test('in the middle of a run takes a prompt at once, which runs after the stop', async () => {
    const { ask, fork, frames, cuts, asked, read } = open(grinding, { tools: [grind] })
    await ask('first')
    const [step = 0] = await cuts(session)
    expect(await fork(step)).toMatchObject({ status: 200, after: step })
    await read('/agent/run', { agent_uuid: branch, user_prompt: 'go on' })
    expect(asked()).toEqual(['user: first', 'assistant: tool_use', 'user: flour + go on'])
    const ends = (await frames(branch)).filter((line) => line.includes('"stop_reason'))
    expect(ends.join()).toMatch(/aborted.*end_turn/s)
  })

  test('at a pause waits for the same calls, and each session is answered separately', async () => {
    const script = [
      { content: [call('c1', 'confirm')] },
      { content: [text('in')] },
      { content: [text('out')] },
    ]
    const { ask, fork, read, asked } = open(script, { tools: [confirm] })
    await ask('first')
    expect(await fork()).toMatchObject({ status: 200 })
    const pending = [{ tool_use_id: 'c1', name: 'confirm' }]
    for (const one of [session, branch])
      expect(JSON.parse(await read(`/agent/${one}`))).toMatchObject({ status: 'paused', pending })
    const answer = (of: string, content: string) =>
      read('/agent/tool_results', {
        agent_uuid: of,
        tool_results: [{ tool_use_id: 'c1', content }],
      })
    expect(await answer(branch, 'yes')).toContain('"in"')
    expect(asked().at(-1)).toBe('user: yes')
    expect(JSON.parse(await read(`/agent/${session}`))).toMatchObject({ status: 'paused', pending })
    expect(await answer(session, 'no')).toContain('"out"')
    expect(asked().at(-1)).toBe('user: no')
    const history = JSON.parse(await read(`/agent/${branch}/conversations`)) as {
      conversations: { final_response: string; stop_reason: string }[]
    }
    expect(history.conversations).toMatchObject([{ final_response: 'in', stop_reason: 'end_turn' }])
  })

  test('outlives its parent, with its history', async () => {
    const { ask, fork, frames, read, store } = open(grinding, { tools: [grind] })
    await ask('first')
    await ask('second')
    await fork()
    const before = await frames(branch)
    await store.remove(session)
    expect(await frames(branch)).toEqual(before)
    await read('/agent/run', { agent_uuid: branch, user_prompt: 'third' })
    const { conversations } = JSON.parse(await read(`/agent/${branch}/conversations`)) as {
      conversations: { user_message: string; messages: unknown[] }[]
    }
    expect(conversations.map(({ user_message }) => user_message)).toEqual([
      'third',
      'second',
      'first',
    ])
    expect(conversations.at(-1)?.messages).toHaveLength(4)
  })

  test('is identified by its id: the same fork again is the same branch', async () => {
    const { ask, fork, read, cuts } = open(grinding, { tools: [grind] })
    await ask('first')
    const first = await fork(0)
    expect(await fork(0)).toEqual(first)
    expect(await fork()).toMatchObject({ status: 200, after: 0 })
    const [, end = 0] = await cuts(session)
    expect(await fork(end)).toMatchObject({ status: 409 })
    expect(await fork(0, { branch_uuid: session })).toMatchObject({ status: 409 })
    const { branches } = JSON.parse(await read(`/agent/${session}/branches`)) as {
      branches: unknown[]
    }
    expect(branches).toMatchObject([{ agent_uuid: branch, forked_from: session, after: 0 }])
  })

  test('of a branch shares the frames of both, and is listed at the session that has the frame', async () => {
    const { ask, fork, read, frames, cuts, send } = open(grinding, { tools: [grind] })
    await ask('first')
    await ask('second')
    const [, end = 0] = await cuts(session)
    await fork()
    await read('/agent/run', { agent_uuid: branch, user_prompt: 'third' })
    const { length } = await frames(branch)
    const again = await send(`/agent/${branch}/fork`, { after: end, branch_uuid: other })
    expect(await again.json()).toMatchObject({ forked_from: branch, after: end })
    expect(await frames(other)).toEqual((await frames(session)).slice(0, end))
    const deep = await send(`/agent/${branch}/fork`, { after: length })
    const { agent_uuid: deepest } = (await deep.json()) as { agent_uuid: string }
    expect(await frames(deepest)).toEqual(await frames(branch))
    const { branches } = JSON.parse(await read(`/agent/${session}/branches`)) as {
      branches: { agent_uuid: string }[]
    }
    expect(branches.map(({ agent_uuid }) => agent_uuid)).toEqual([other, branch])
  })

  const formats = defaultProtocols().map(({ name }) => name)

  test.each(formats.filter((name) => name !== 'json'))(
    'reads as one conversation in the format %s',
    async (format) => {
      const { ask, fork, read } = open(grinding, { tools: [grind] })
      await ask('first')
      await fork()
      const stream = await read('/agent/run', { agent_uuid: branch, user_prompt: 'x', format })
      const parent = await ask('x', { format })
      const shape = (text: string) =>
        text
          .replaceAll(/"(run_?id|runId|parentRunId|messageId|id|timestamp)":"[^"]*"/gi, '')
          .replaceAll(branch, session)
          .replaceAll(/[\da-f]{8}-[\da-f]{4}-4[\da-f-]+/g, 'ID')
          .replaceAll(/two|new/g, 'SAID')
          .split('\n')
          .filter((line) => !line.startsWith('id:'))
          .map((line) => line.slice(0, 60))
      expect(shape(stream).length).toBeGreaterThan(4)
      expect(shape(stream).filter((line) => /text|SAID/i.test(line)).length).toBe(
        shape(parent).filter((line) => /text|SAID/i.test(line)).length,
      )
    },
  )
})

describe('a replaced run [BRANCH-5]', () => {
  test('gets another prompt, in a branch that ends before it', async () => {
    const { ask, frames, asked, read } = open(grinding, { tools: [grind] })
    await ask('first')
    const second = await ask('second')
    const runId = /run_id\\":\\"([^\\]*)/.exec(second)?.[1] ?? ''
    const before = await frames(session)
    const answer = await ask('edited', { edit: runId, branch_uuid: branch })
    expect(answer).toContain('"new"')
    expect(asked().at(-1)).toBe('user: edited')
    expect(asked()).toHaveLength(5)
    expect(await frames(session)).toEqual(before)
    const { conversations } = JSON.parse(await read(`/agent/${branch}/conversations`)) as {
      conversations: { user_message: string }[]
    }
    expect(conversations.map(({ user_message }) => user_message)).toEqual(['edited', 'first'])
  })

  test('gets its own prompt again, also if it was the first', async () => {
    const { ask, asked, read, frames } = open(grinding, { tools: [grind] })
    await ask('first')
    const again = { agent_uuid: session, regenerate: true, branch_uuid: branch }
    await read('/agent/run', again)
    expect(asked()).toEqual(['user: first'])
    const [line = ''] = await frames(branch)
    const init = JSON.parse(line.slice(6)) as { agent: string; delta: string }
    expect(init.agent).toBe(branch)
    expect(JSON.parse(init.delta)).toMatchObject({ forked_from: { agent_uuid: session, id: 0 } })
  })

  test('begins once, however often the same request is sent', async () => {
    const { ask, read, frames, model } = open(grinding, { tools: [grind] })
    await ask('first')
    const again = { agent_uuid: session, regenerate: true, message_id: 'm1' }
    const stream = await read('/agent/run', again)
    expect(await read('/agent/run', again)).toBe(stream)
    const { branches } = JSON.parse(await read(`/agent/${session}/branches`)) as {
      branches: { agent_uuid: string }[]
    }
    expect(branches).toHaveLength(1)
    expect(await frames(branches[0]?.agent_uuid ?? '')).toHaveLength(
      stream.split('\n').filter((line) => line.startsWith('data: {')).length,
    )
    expect(model.requests).toHaveLength(3)
  })

  test('is rejected with a message if the request contradicts itself', async () => {
    const { ask, send } = open(grinding, { tools: [grind] })
    await ask('first')
    const refuse = async (body: object) => {
      const response = await send('/agent/run', body)
      return [
        response.status,
        ((await response.json()) as { error: { message: string } }).error.message,
      ]
    }
    const of = { agent_uuid: session }
    expect(await refuse({ ...of, regenerate: true, user_prompt: 'x' })).toEqual([
      400,
      expect.stringContaining('edit'),
    ])
    expect(await refuse({ ...of, edit: 'r', regenerate: 'r', user_prompt: 'x' })).toContain(400)
    expect(await refuse({ regenerate: true })).toContain(400)
    expect(await refuse({ ...of, edit: 'r' })).toContain(400)
    expect(await refuse({ ...of, branch_uuid: branch, user_prompt: 'x' })).toContain(400)
    expect(await refuse({ ...of, edit: 'nope', user_prompt: 'x' })).toEqual([
      404,
      expect.stringContaining('conversations'),
    ])
  })
})

test('a branch continues the sub-agents of its parent, and both may continue the same one', async () => {
  const { agent: child, model: childModel } = setUpChild([
    { content: [text('dug')] },
    { content: [text('B')] },
    { content: [text('P')] },
  ])
  const again = { resume_agent_uuid: `${session}.1` }
  const { ask, fork, frames, read } = open(
    [
      { content: [spawn('s1')] },
      { content: [text('one')] },
      { content: [spawn('s2', again)] },
      { content: [text('two')] },
      { content: [spawn('s3', again)] },
      { content: [text('end')] },
    ],
    { subagents: [child] },
  )
  await ask('first')
  await fork()
  await read('/agent/run', { agent_uuid: branch, user_prompt: 'second' })
  await ask('third')
  for (const one of [session, branch]) {
    const agents = (await frames(one)).map(
      (line) => (JSON.parse(line.slice(6)) as { agent: string }).agent,
    )
    expect([...new Set(agents)]).toEqual([session, `${session}.1`])
  }
  const received = childModel.requests.map(({ messages }) => messages.length)
  expect(received).toEqual([1, 3, 3])
})

describe('a repeated request for a branch', () => {
  test('does not affect the run of the branch, and reads it', async () => {
    const { ask, read, send } = open([
      { content: [text('one')] },
      { content: [text('two')], hangs: 'until_aborted' },
    ])
    await ask('first')
    const again = { agent_uuid: session, regenerate: true, message_id: 'm1' }
    const first = await send('/agent/run', again)
    const { branches } = JSON.parse(await read(`/agent/${session}/branches`)) as {
      branches: { agent_uuid: string }[]
    }
    const [{ agent_uuid: to } = { agent_uuid: '' }] = branches
    const second = await send('/agent/run', again)
    await send(`/agent/${session}/fork`, { after: 0, branch_uuid: to })
    expect(JSON.parse(await read(`/agent/${to}`))).toMatchObject({ status: 'running' })
    await send(`/agent/${to}/stop`, {})
    expect(await second.text()).toBe(await first.text())
  })

  test('finds its run also when its parent has continued, or was deleted', async () => {
    const { ask, read, store } = open(grinding, { tools: [grind] })
    await ask('first')
    const again = { agent_uuid: session, regenerate: true, message_id: 'm1' }
    const stream = await read('/agent/run', again)
    await ask('second')
    expect(await read('/agent/run', again)).toBe(stream)
    const other = await read('/agent/run', { ...again, regenerate: 'another' })
    expect(JSON.parse(other)).toMatchObject({ error: { reason: 'key_reused' } })
    await store.remove(session)
    expect(await read('/agent/run', again)).toBe(stream)
  })

  test('gives the same branch for the same key of a fork', async () => {
    const { ask, send, read } = open(grinding, { tools: [grind] })
    await ask('first')
    const fork = async () => (await send(`/agent/${session}/fork`, { message_id: 'f1' })).json()
    const branch = await fork()
    await ask('second')
    expect(await fork()).toEqual(branch)
    expect(JSON.parse(await read(`/agent/${session}/branches`))).toMatchObject({
      branches: [branch].map(({ agent_uuid }) => ({ agent_uuid })),
    })
  })

  test('is refused with the same key and another place or title', async () => {
    const { ask, send, read } = open(grinding, { tools: [grind] })
    await ask('first')
    const fork = async (fields: object) => {
      const response = await send(`/agent/${session}/fork`, { message_id: 'f1', ...fields })
      return { status: response.status, ...((await response.json()) as object) }
    }
    const branch = await fork({ title: 'Rye' })
    expect(branch).toMatchObject({ status: 200, title: 'Rye' })
    for (const other of [{}, { title: 'Oat' }, { title: 'Rye', after: 0 }])
      expect(await fork(other)).toMatchObject({ status: 409, error: { reason: 'key_reused' } })
    expect(await fork({ title: 'Rye' })).toEqual(branch)
    const { branches } = JSON.parse(await read(`/agent/${session}/branches`)) as {
      readonly branches: readonly unknown[]
    }
    expect(branches).toHaveLength(1)
  })
})

test('the id of a branch in a request must be one that the request may run', async () => {
  const { ask, fork } = open(
    grinding,
    { tools: [grind] },
    {
      authorize: (_request, action, of) => action !== 'run' || of !== other,
    },
  )
  await ask('first')
  expect(await fork(0, { branch_uuid: other })).toMatchObject({ status: 404 })
  const error = await ask('x', { edit: 'r', branch_uuid: other })
  expect(JSON.parse(error)).toMatchObject({ error: { code: 'not_found' } })
  expect(await fork(0)).toMatchObject({ status: 200 })
})

test('a title that a view hides is not in a fork', async () => {
  const view = () => ({ hiddenFields: { meta_init: ['user_query'] } })
  const { ask, fork } = open(grinding, { tools: [grind] }, { view })
  await ask('first')
  expect(await fork()).toMatchObject({ title: '' })
})

test('a session whose agent has no state continues in a branch', async () => {
  const agent: Agent = {
    name: 'echo',
    model: 'none',
    async *run({ agent: id, prompt = '' }) {
      const start = {
        type: 'run_start',
        agent: id,
        runId: 'r',
        prompt,
        model: 'none',
        messages: [],
      }
      yield start as AgentEvent
      const end = { type: 'run_end', agent: id, stopReason: 'end_turn', steps: 1, usage: noUsage }
      yield { ...end, files: [], messages: [] } as unknown as AgentEvent
    },
  }
  const { ask, fork, read } = open([], {}, { agents: { miller: agent } })
  await ask('first')
  await fork()
  const stream = await read('/agent/run', { agent_uuid: branch, user_prompt: 'second' })
  expect(stream).toContain('end_turn')
  expect(stream).not.toContain(`"agent":"${branch}"`)
})

test('unknown fields of a fork, and branches by a form, are rejected', async () => {
  const { ask, fork, handler } = open(grinding, { tools: [grind] })
  await ask('first')
  expect(await fork(0, { afer: 3 })).toMatchObject({ status: 400 })
  expect(await fork(0, { title: 'two\nlines' })).toMatchObject({ status: 400 })
  const form = new FormData()
  for (const [name, value] of [
    ['agent_uuid', session],
    ['user_prompt', 'x'],
    ['edit', 'r'],
  ] as const)
    form.set(name, value)
  const init = { method: 'POST', body: form }
  const refused = await handler.fetch(new Request('http://localhost/agent/run/multipart', init))
  expect(refused.status).toBe(400)
})

test('a branch whose server dies before it has ended the run is found and ended [BRANCH-1]', async () => {
  const store: Store = { ...createMemoryStore(), isDurable: true }
  const forked = createGate()
  const fork: Store['fork'] = async (given) => {
    await store.fork(given)
    forked.open()
    return new Promise(() => {})
  }
  const replies: readonly ScriptedReply[] = [
    { content: [call('t1', 'grind')] },
    { content: [text('flour')], hangs: 'until_aborted' },
  ]
  const dying = open(replies, { tools: [grind] }, { store: { ...store, fork } })
  const response = await dying.send('/agent/run', { agent_uuid: session, user_prompt: 'go' })
  await expect.poll(() => dying.model.requests.length, { timeout: 20_000 }).toBe(2)
  void dying.fork()
  await forked.passed
  expect(await store.info(branch)).toMatchObject({ lease: { hasLapsed: true } })
  const next = open(replies, { tools: [grind] }, { store })
  expect(await next.handler.recover()).toEqual([branch])
  const isEnded = async () => (await store.info(branch))?.head
  await expect.poll(isEnded, { timeout: 20_000 }).toContain('"stopReason":"aborted"')
  expect(next.model.requests).toEqual([])
  expect((await store.info(branch))?.lease).toBeUndefined()
  await response.body?.cancel()
})

test('a trimmed session names its fork points', async () => {
  const { ask, fork, cuts, store } = open(grinding, { tools: [grind] })
  await ask('first')
  await ask('second')
  const [, end = 0] = await cuts(session)
  await store.trim(session, end + 1)
  for (const after of [0, 1])
    expect(await fork(after)).toMatchObject({
      status: 410,
      error: { earliest: end + 1, message: expect.stringContaining(`after ${end} or later`) },
    })
  expect(await fork(end)).toMatchObject({ status: 200, after: end })
})
