import { afterEach, describe, expect, test } from 'vitest'
import { call, confirm, createGate, text, tool } from '../support/agents/agent-harness.ts'
import { setUpChild, spawn } from '../support/agents/family.ts'
import { errorOf } from '../support/servers/test-servers.ts'
import { readStream, toMessages, typesOf } from '../support/frames/read-stream.ts'
import {
  approve,
  createScriptedTestServers,
  endOf,
  guarded,
  peek,
  resultTexts,
  scripted,
} from '../support/servers/scripted-server.ts'

const testServers = createScriptedTestServers()
const { open } = testServers

afterEach(testServers.close)

describe('POST /agent/{uuid}/stop', () => {
  const endless = {
    content: [text('whole')],
    openBlock: text('half'),
    hangs: 'until_aborted',
  } as const

  test('ends a run with its completed work; a second stop has no effect', async () => {
    const server = await open(scripted([endless]))
    const { session, stream } = await server.start()
    await expect
      .poll(async () => (await server.state(session)) as object)
      .toMatchObject({ status: 'running' })
    expect(await server.stop(session)).toEqual({ stopped: true })
    const read = await stream
    expect(endOf(read)).toMatchObject({
      stop_reason: 'aborted',
      usage: { input_tokens: 10, output_tokens: 5 },
    })
    expect(read.isDone).toBe(true)
    expect(await server.stop(session)).toEqual({ stopped: false })
    expect(await server.state(session)).toMatchObject({ status: 'ended', stop_reason: 'aborted' })
    expect(endOf(await server.ask('again', { agent_uuid: session }))).toMatchObject({
      stop_reason: 'end_turn',
    })
    server.settled()
  })

  test('ends a paused run: its calls get the outcome as their answer', async () => {
    const server = await open(
      scripted([{ content: [call('t1', 'guarded'), call('t2', 'confirm')] }]),
    )
    const { session, frames } = await server.ask('go')
    expect(await server.stop(session)).toEqual({ stopped: true })
    const rest = await server.watch(session, frames.length)
    expect(typesOf(rest)).toEqual(['tool_result', 'tool_result', 'meta_end'])
    expect(endOf(rest)).toMatchObject({ stop_reason: 'aborted' })
    expect(await server.state(session)).toMatchObject({
      status: 'ended',
      pending: [],
      pending_approvals: [],
    })
    expect(await errorOf(await server.decide(session, approve('t1')))).toMatchObject({
      status: 409,
    })
    server.settled()
  })

  test('rejects an unknown session or agent', async () => {
    const server = await open(scripted([endless]))
    const missing = await server.post(`/agent/${crypto.randomUUID()}/stop`, {})
    expect(await errorOf(missing)).toMatchObject({ status: 404, code: 'not_found' })
    expect(await errorOf(await server.post('/agent/nonsense/stop', {}))).toMatchObject({
      status: 400,
    })
    const { session, stream } = await server.start()
    expect(await server.stop(session, { agent: 'nobody' })).toEqual({ stopped: false })
    expect(await server.stop(session, { agent: session })).toEqual({ stopped: true })
    await stream
  })

  test('stops one sub-agent separately: active, waiting, or in a paused run', async () => {
    const gate = createGate()
    const { agent: child } = setUpChild([endless, { content: [call('c1', 'confirm')] }], {
      tools: [confirm],
    })
    const calls = [spawn('t1'), spawn('t2'), call('t3', 'slow')]
    const server = await open(
      scripted([{ content: calls }], {
        tools: [tool('slow', () => gate.passed.then(() => 'slow ran'))],
        subagents: [child],
      }),
    )
    const { session, stream } = await server.start()
    const children = async () => {
      return toMessages(await peek(server, session)).flatMap(({ type, agent }) =>
        type === 'meta_init' && agent !== session ? [agent] : [],
      )
    }
    await expect.poll(async () => (await children()).length).toBe(2)
    const [first = '', second = ''] = await children()
    await expect
      .poll(async () => (await server.state(session)) as object)
      .toMatchObject({ pending: [{ tool_use_id: 'c1', agent: second }] })
    expect(await server.stop(session, { agent: first })).toEqual({ stopped: true })
    gate.open()
    const paused = await stream
    expect(endOf({ frames: paused.frames.slice(-1) })).toMatchObject({
      stop_reason: 'awaiting_frontend_tools',
    })
    expect(await server.stop(session, { agent: first })).toEqual({ stopped: false })
    expect(await server.stop(session, { agent: second })).toEqual({ stopped: true })
    const rest = await server.watch(session, paused.frames.length)
    expect(endOf({ frames: rest.frames.slice(-1) })).toMatchObject({ stop_reason: 'end_turn' })
    expect(resultTexts(rest)[0]).toContain('stopped')
    server.settled()
  })
})

describe('POST /agent/{uuid}/steer', () => {
  test('sends a message to an active run, which continues with it', async () => {
    const server = await open(
      scripted([
        { content: [text('left')], openBlock: text('…'), hangs: 'until_aborted' },
        { content: [text('right')] },
      ]),
    )
    const { session, stream } = await server.start()
    await expect
      .poll(async () => ((await server.state(session)) as { tail: number }).tail)
      .toBeGreaterThan(3)
    const steered = await server.steer(session, { user_prompt: 'turn right' })
    expect({ status: steered.status, body: await steered.json() }).toEqual({
      status: 200,
      body: { steered: true },
    })
    const read = await stream
    const messages = toMessages(read)
    expect(messages.find(({ type }) => type === 'user_message')).toMatchObject({
      delta: 'turn right',
    })
    expect(messages.filter(({ type }) => type === 'text').map(({ delta }) => delta)).toEqual([
      'left',
      expect.anything(),
      'right',
    ])
    expect(endOf(read)).toMatchObject({ stop_reason: 'end_turn' })
    server.settled()
  })

  test('is rejected without an active run: after the end, in a pause, for an unknown agent', async () => {
    const server = await open(scripted([{ content: [call('t1', 'confirm')] }]))
    const missing = await server.steer(crypto.randomUUID(), { user_prompt: 'x' })
    expect(await errorOf(missing)).toMatchObject({ status: 404, code: 'not_found' })
    const { session } = await server.ask('go')
    const paused = await errorOf(await server.steer(session, { user_prompt: 'x' }))
    expect(paused).toMatchObject({ status: 409, code: 'conflict' })
    expect(paused.message).toContain('POST /agent/run')
    await server.answer(session, { t1: 'yes' })
    expect(await errorOf(await server.steer(session, { user_prompt: 'x' }))).toMatchObject({
      status: 409,
    })
    for (const user_prompt of ['', '  ', 7, undefined]) {
      expect(await errorOf(await server.steer(session, { user_prompt }))).toMatchObject({
        status: 400,
      })
    }
    server.settled()
  })
})

describe('a question of a sub-agent', () => {
  /** A sub-agent that asks a question, beside a tool that runs until it is released. */
  async function openFamily() {
    const gate = createGate()
    const { agent: child } = setUpChild(
      [{ content: [call('c1', 'confirm'), call('c2', 'guarded')] }],
      {
        tools: [confirm, guarded],
      },
    )
    const server = await open(
      scripted([{ content: [spawn('t1'), call('t2', 'slow')] }], {
        tools: [tool('slow', () => gate.passed.then(() => 'slow ran'))],
        subagents: [child],
      }),
    )
    const { session, stream } = await server.start()
    await expect
      .poll(async () => (await server.state(session)) as object)
      .toMatchObject({
        status: 'running',
        pending: [{ tool_use_id: 'c1' }],
        pending_approvals: [{ tool_use_id: 'c2' }],
      })
    return { server, gate, session, stream }
  }

  test('is answered while its sibling works, and the response streams the rest of the run', async () => {
    const { server, gate, session, stream } = await openFamily()
    const results = { agent_uuid: session, tool_results: [{ tool_use_id: 'c1', content: 'yes' }] }
    const first = server.post('/agent/tool_results', results)
    expect((await first).status).toBe(200)
    const conflicting = { ...results, tool_results: [{ tool_use_id: 'c1', content: 'no' }] }
    expect(await errorOf(await server.post('/agent/tool_results', conflicting))).toMatchObject({
      status: 409,
    })
    const again = await server.post('/agent/tool_results', results)
    expect(again.status).toBe(200)
    const decided = server.decided(session, approve('c2'))
    await expect
      .poll(async () => resultTexts(await peek(server, session)))
      .toEqual(expect.arrayContaining([expect.stringContaining('Answer of the agent')]))
    gate.open()
    const whole = await stream
    const rest = await decided
    expect(rest.isDone).toBe(true)
    expect(whole.frames.slice(-rest.frames.length)).toEqual(rest.frames)
    expect(resultTexts(whole)).toEqual([
      'yes',
      'ran with {}',
      expect.stringContaining('Answer of the agent'),
      'slow ran',
    ])
    expect(endOf({ frames: whole.frames.slice(-1) })).toMatchObject({ stop_reason: 'end_turn' })
    await readStream(await first)
    await readStream(again)
    server.settled()
  })

  test('is not lost if it is answered while the run pauses', async () => {
    for (let round = 0; round < 10; round++) {
      const { server, gate, session, stream } = await openFamily()
      gate.open()
      const answered = [
        server.answer(session, { c1: 'yes' }),
        server.decided(session, approve('c2')),
      ]
      await stream
      await Promise.all(answered)
      await expect
        .poll(async () => (await server.state(session)) as object)
        .toMatchObject({ status: 'ended', stop_reason: 'end_turn', pending: [] })
      const { frames } = await server.watch(session)
      expect(resultTexts({ frames })).toHaveLength(4)
      server.settled()
    }
  })
})
