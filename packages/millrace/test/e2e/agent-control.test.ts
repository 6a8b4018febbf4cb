import { afterEach, describe, expect, test } from 'vitest'
import { type Agent, createAgent, defineFrontendTool, defineTool } from '../../src/agent/index.ts'
import { anything, call, confirm, createGate, text, tool } from '../support/agent-harness.ts'
import { setUpChild, spawn } from '../support/family.ts'
import { createStreet, errorOf } from '../support/house-talk.ts'
import {
  payloadOf,
  readStream,
  type ReadStream,
  toMessages,
  typesOf,
} from '../support/read-stream.ts'
import { createScriptedModel, type ScriptedReply } from '../support/scripted-model.ts'

const street = createStreet()

afterEach(street.close)

const guarded = defineTool({
  name: 'guarded',
  description: '',
  input: anything,
  needsApproval: true,
  run: (input) => `ran with ${JSON.stringify(input)}`,
})
const sign = defineFrontendTool({
  name: 'sign',
  description: '',
  input: anything,
  needsApproval: true,
})

function scripted(
  replies: readonly ScriptedReply[],
  more: Partial<Parameters<typeof createAgent>[0]> = {},
): Agent {
  const model = createScriptedModel(replies)
  return createAgent({ name: 'scripted', model, tools: [guarded, confirm, sign], ...more })
}

/** A house with one agent, and what people do to it. */
async function open(agent: Agent) {
  const house = await street.open({ agents: { scripted: agent }, defaultAgent: 'scripted' })
  const { post, get } = house
  const decide = (session: string, ...approvals: object[]) =>
    post('/agent/tool_approvals', { agent_uuid: session, approvals })
  return {
    ...house,
    decide,
    decided: async (session: string, ...approvals: object[]) =>
      readStream(await decide(session, ...approvals)),
    stop: async (session: string, body: object = {}) =>
      (await post(`/agent/${session}/stop`, body)).json(),
    steer: (session: string, body: object) => post(`/agent/${session}/steer`, body),
    state: async (session: string) => (await get(`/agent/${session}`)).json(),
    /** Starts a run and gives the response as it begins. */
    start: async () => {
      const session = crypto.randomUUID()
      const response = await post('/agent/run', { agent_uuid: session, user_prompt: 'go' })
      return { session, stream: readStream(response) }
    },
    /** Nothing was wrong with any line, and the server kept nothing to itself. */
    settled: () => {
      expect(house.violations).toEqual([])
      expect(house.errors).toEqual([])
    },
  }
}

const approve = (tool_use_id: string, input?: object) => ({
  tool_use_id,
  decision: 'approve',
  ...(input && { input }),
})
const refuse = (tool_use_id: string, reason: string) => ({
  tool_use_id,
  decision: 'refuse',
  reason,
})

const resultTexts = (stream: Pick<ReadStream, 'frames'>): string[] =>
  toMessages(stream)
    .filter(({ type }) => type === 'tool_result')
    .map(({ delta }) => delta)

const endOf = (stream: Pick<ReadStream, 'frames'>): unknown => payloadOf(stream, 'meta_end')

describe('POST /agent/tool_approvals', () => {
  const twoCalls = [{ content: [call('t1', 'guarded', { a: 1 }), call('t2', 'guarded', { a: 2 })] }]

  test('decides call by call; the run goes on with the last decision', async () => {
    const house = await open(scripted(twoCalls))
    const asked = await house.ask('go')
    const { session } = asked
    expect(typesOf(asked).slice(-2)).toEqual(['awaiting_approval', 'meta_end'])
    expect(endOf(asked)).toMatchObject({ stop_reason: 'awaiting_approval' })
    expect(await house.state(session)).toMatchObject({
      status: 'paused',
      pending: [],
      pending_approvals: [
        { tool_use_id: 't1', name: 'guarded', input: { a: 1 }, agent: session },
        { tool_use_id: 't2' },
      ],
    })
    const first = await house.decided(session, refuse('t1', 'too dear'))
    expect(first).toMatchObject({ status: 200, frames: [], isDone: true })
    expect(await house.state(session)).toMatchObject({
      pending_approvals: [{ tool_use_id: 't2' }],
    })
    const second = await house.decided(session, approve('t2', { a: 3 }))
    expect(resultTexts(second)).toEqual([
      expect.stringContaining('Their reason: too dear'),
      'The user changed the arguments before the tool ran: {"a":3}\nran with {"a":3}',
    ])
    const stages = toMessages(second).filter(({ type }) => type === 'tool_status')
    expect(stages.map(({ id, stage, delta }) => `${id} ${String(stage)} ${delta}`)).toEqual(
      expect.arrayContaining(['t1 refused too dear', 't2 approved {"a":3}', 't2 started ']),
    )
    expect(endOf(second)).toMatchObject({ stop_reason: 'end_turn', total_steps: 2 })
    house.settled()
  })

  test('the same decision again gets the same stream, another one 409, an unknown call 404', async () => {
    const house = await open(scripted(twoCalls))
    const { session } = await house.ask('go')
    const decisions = [approve('t1'), approve('t2')]
    const first = await house.decided(session, ...decisions)
    expect(first.frames.length).toBeGreaterThan(0)
    expect((await house.decided(session, ...decisions)).frames).toEqual(first.frames)
    expect((await house.decided(session, approve('t2'))).frames).toEqual(first.frames)
    const again = await house.ask('more', { agent_uuid: session })
    expect(endOf(again)).toMatchObject({ stop_reason: 'end_turn' })
    expect((await house.decided(session, approve('t1'))).frames).toEqual(first.frames)
    const conflict = await errorOf(await house.decide(session, refuse('t1', 'no')))
    expect(conflict).toMatchObject({ status: 409, code: 'conflict' })
    expect(conflict.message).toContain('the first answer counts')
    for (const id of ['t9', '__proto__']) {
      expect(await errorOf(await house.decide(session, approve(id)))).toMatchObject({
        status: 404,
        code: 'not_found',
      })
    }
    const stranger = await house.decide(crypto.randomUUID(), approve('t1'))
    expect(await errorOf(stranger)).toMatchObject({ status: 404, code: 'not_found' })
    house.settled()
  })

  test('one hundred at once run the tool once', async () => {
    let runs = 0
    const counted = defineTool({
      name: 'counted',
      description: '',
      input: anything,
      needsApproval: true,
      run: () => ++runs,
    })
    const house = await open(scripted([{ content: [call('t1', 'counted')] }], { tools: [counted] }))
    const { session } = await house.ask('go')
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => house.decided(session, approve('t1'))),
    )
    expect(runs).toBe(1)
    const whole = answers[0]?.frames
    for (const { frames } of answers) expect(frames).toEqual(whole)
    house.settled()
  })

  test.each([
    [{ tool_use_id: 't1', decision: 'maybe' }],
    [{ tool_use_id: 't1' }],
    [{ tool_use_id: '', decision: 'approve' }],
    [{ tool_use_id: 't1', decision: 'approve', input: 'text' }],
    [{ tool_use_id: 't1', decision: 'refuse', reason: 7 }],
  ])('%j is refused with what is wrong', async (approval) => {
    const house = await open(scripted(twoCalls))
    const { session } = await house.ask('go')
    expect(await errorOf(await house.decide(session, approval))).toMatchObject({
      status: 400,
      code: 'bad_request',
      message: expect.stringContaining('approvals.0'),
    })
  })

  test('a result does not stand for a decision, and a tool of the browser waits for both', async () => {
    const house = await open(scripted([{ content: [call('t1', 'sign', { a: 1 })] }]))
    const { session } = await house.ask('go')
    const forged = { agent_uuid: session, tool_results: [{ tool_use_id: 't1', content: 'forged' }] }
    expect(await errorOf(await house.post('/agent/tool_results', forged))).toMatchObject({
      status: 404,
    })
    const approved = await house.decided(session, approve('t1', { a: 2 }))
    expect(payloadOf(approved, 'awaiting_frontend_tools')).toEqual([
      { tool_use_id: 't1', name: 'sign', input: { a: 2 } },
    ])
    const signed = await house.answer(session, { t1: 'signed' })
    expect(resultTexts(signed)).toEqual([expect.stringContaining('signed')])
    expect((await house.answer(session, { t1: 'signed' })).frames).toEqual(signed.frames)
    expect((await house.decided(session, approve('t1', { a: 2 }))).frames).toEqual(approved.frames)
    house.settled()
  })
})

describe('POST /agent/{uuid}/stop', () => {
  const endless = {
    content: [text('whole')],
    openBlock: text('half'),
    hangs: 'until_aborted',
  } as const

  test('ends a run with what it has finished; there is nothing to stop after that', async () => {
    const house = await open(scripted([endless]))
    const { session, stream } = await house.start()
    await expect
      .poll(async () => (await house.state(session)) as object)
      .toMatchObject({ status: 'running' })
    expect(await house.stop(session)).toEqual({ stopped: true })
    const read = await stream
    expect(endOf(read)).toMatchObject({
      stop_reason: 'aborted',
      usage: { input_tokens: 10, output_tokens: 5 },
    })
    expect(read.isDone).toBe(true)
    expect(await house.stop(session)).toEqual({ stopped: false })
    expect(await house.state(session)).toMatchObject({ status: 'ended', stop_reason: 'aborted' })
    expect(endOf(await house.ask('again', { agent_uuid: session }))).toMatchObject({
      stop_reason: 'end_turn',
    })
    house.settled()
  })

  test('closes a run that waits: its calls are answered with what happened', async () => {
    const house = await open(
      scripted([{ content: [call('t1', 'guarded'), call('t2', 'confirm')] }]),
    )
    const { session, frames } = await house.ask('go')
    expect(await house.stop(session)).toEqual({ stopped: true })
    const rest = await house.watch(session, frames.length)
    expect(typesOf(rest)).toEqual(['tool_result', 'tool_result', 'meta_end'])
    expect(endOf(rest)).toMatchObject({ stop_reason: 'aborted' })
    expect(await house.state(session)).toMatchObject({
      status: 'ended',
      pending: [],
      pending_approvals: [],
    })
    expect(await errorOf(await house.decide(session, approve('t1')))).toMatchObject({ status: 404 })
    house.settled()
  })

  test('of a session or an agent that is not there', async () => {
    const house = await open(scripted([endless]))
    const missing = await house.post(`/agent/${crypto.randomUUID()}/stop`, {})
    expect(await errorOf(missing)).toMatchObject({ status: 404, code: 'not_found' })
    expect(await errorOf(await house.post('/agent/nonsense/stop', {}))).toMatchObject({
      status: 400,
    })
    const { session, stream } = await house.start()
    expect(await house.stop(session, { agent: 'nobody' })).toEqual({ stopped: false })
    expect(await house.stop(session, { agent: session })).toEqual({ stopped: true })
    await stream
  })

  test('of a sub-agent leaves the rest: one at work, one that waits, one in a paused run', async () => {
    const gate = createGate()
    const { agent: child } = setUpChild([endless, { content: [call('c1', 'confirm')] }], {
      tools: [confirm],
    })
    const calls = [spawn('t1'), spawn('t2'), call('t3', 'slow')]
    const house = await open(
      scripted([{ content: calls }], {
        tools: [tool('slow', () => gate.passed.then(() => 'slow ran'))],
        subagents: [child],
      }),
    )
    const { session, stream } = await house.start()
    const children = async () => {
      return toMessages(await peek(house, session)).flatMap(({ type, agent }) =>
        type === 'meta_init' && agent !== session ? [agent] : [],
      )
    }
    await expect.poll(async () => (await children()).length).toBe(2)
    const [first = '', second = ''] = await children()
    await expect
      .poll(async () => (await house.state(session)) as object)
      .toMatchObject({ pending: [{ tool_use_id: 'c1', agent: second }] })
    expect(await house.stop(session, { agent: first })).toEqual({ stopped: true })
    gate.open()
    const paused = await stream
    expect(endOf({ frames: paused.frames.slice(-1) })).toMatchObject({
      stop_reason: 'awaiting_frontend_tools',
    })
    expect(await house.stop(session, { agent: first })).toEqual({ stopped: false })
    expect(await house.stop(session, { agent: second })).toEqual({ stopped: true })
    const rest = await house.watch(session, paused.frames.length)
    expect(endOf({ frames: rest.frames.slice(-1) })).toMatchObject({ stop_reason: 'end_turn' })
    expect(resultTexts(rest)[0]).toContain('stopped')
    house.settled()
  })
})

describe('POST /agent/{uuid}/steer', () => {
  test('tells a run under way, which goes on with it', async () => {
    const house = await open(
      scripted([
        { content: [text('left')], openBlock: text('…'), hangs: 'until_aborted' },
        { content: [text('right')] },
      ]),
    )
    const { session, stream } = await house.start()
    await expect
      .poll(async () => ((await house.state(session)) as { tail: number }).tail)
      .toBeGreaterThan(3)
    const steered = await house.steer(session, { user_prompt: 'turn right' })
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
    house.settled()
  })

  test('is refused where nothing runs: after the end, in a pause, for an agent that is not there', async () => {
    const house = await open(scripted([{ content: [call('t1', 'confirm')] }]))
    const missing = await house.steer(crypto.randomUUID(), { user_prompt: 'x' })
    expect(await errorOf(missing)).toMatchObject({ status: 404, code: 'not_found' })
    const { session } = await house.ask('go')
    const paused = await errorOf(await house.steer(session, { user_prompt: 'x' }))
    expect(paused).toMatchObject({ status: 409, code: 'conflict' })
    expect(paused.message).toContain('POST /agent/run')
    await house.answer(session, { t1: 'yes' })
    expect(await errorOf(await house.steer(session, { user_prompt: 'x' }))).toMatchObject({
      status: 409,
    })
    for (const user_prompt of ['', '  ', 7, undefined]) {
      expect(await errorOf(await house.steer(session, { user_prompt }))).toMatchObject({
        status: 400,
      })
    }
    house.settled()
  })
})

describe('a question of a sub-agent', () => {
  /** A sub-agent that asks, beside a tool that works until it is let go. */
  async function openFamily() {
    const gate = createGate()
    const { agent: child } = setUpChild(
      [{ content: [call('c1', 'confirm'), call('c2', 'guarded')] }],
      {
        tools: [confirm, guarded],
      },
    )
    const house = await open(
      scripted([{ content: [spawn('t1'), call('t2', 'slow')] }], {
        tools: [tool('slow', () => gate.passed.then(() => 'slow ran'))],
        subagents: [child],
      }),
    )
    const { session, stream } = await house.start()
    await expect
      .poll(async () => (await house.state(session)) as object)
      .toMatchObject({
        status: 'running',
        pending: [{ tool_use_id: 'c1' }],
        pending_approvals: [{ tool_use_id: 'c2' }],
      })
    return { house, gate, session, stream }
  }

  test('is answered while its sibling works, and the answer’s stream is the rest of the run', async () => {
    const { house, gate, session, stream } = await openFamily()
    const results = { agent_uuid: session, tool_results: [{ tool_use_id: 'c1', content: 'yes' }] }
    const first = house.post('/agent/tool_results', results)
    expect((await first).status).toBe(200)
    const conflicting = { ...results, tool_results: [{ tool_use_id: 'c1', content: 'no' }] }
    expect(await errorOf(await house.post('/agent/tool_results', conflicting))).toMatchObject({
      status: 409,
    })
    const again = await house.post('/agent/tool_results', results)
    expect(again.status).toBe(200)
    const decided = house.decided(session, approve('c2'))
    await expect
      .poll(async () => resultTexts(await peek(house, session)))
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
    house.settled()
  })

  test('answered as the run pauses, it is not lost', async () => {
    for (let round = 0; round < 10; round++) {
      const { house, gate, session, stream } = await openFamily()
      gate.open()
      const answered = [house.answer(session, { c1: 'yes' }), house.decided(session, approve('c2'))]
      await stream
      await Promise.all(answered)
      await expect
        .poll(async () => (await house.state(session)) as object)
        .toMatchObject({ status: 'ended', stop_reason: 'end_turn', pending: [] })
      const { frames } = await house.watch(session)
      expect(resultTexts({ frames })).toHaveLength(4)
      house.settled()
    }
  })
})

/** What a session's log holds so far. */
async function peek(house: Awaited<ReturnType<typeof open>>, session: string): Promise<ReadStream> {
  const { tail } = (await house.state(session)) as { tail: number }
  const response = await house.get(`/agent/${session}/stream?cursor=0`)
  return readStream(response, ({ frames }) => (frames.at(-1)?.id ?? 0) >= tail)
}
