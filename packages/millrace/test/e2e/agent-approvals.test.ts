import { afterEach, describe, expect, test } from 'vitest'
import { defineTool } from '../../src/tools/define-tool.ts'
import { anything, call } from '../support/agents/agent-harness.ts'
import { errorOf } from '../support/servers/test-servers.ts'
import { payloadOf, toMessages, typesOf } from '../support/frames/read-stream.ts'
import {
  approve,
  createScriptedTestServers,
  endOf,
  refuse,
  resultTexts,
  scripted,
} from '../support/servers/scripted-server.ts'

const testServers = createScriptedTestServers()
const { open } = testServers

afterEach(testServers.close)

describe('POST /agent/tool_approvals', () => {
  const twoCalls = [{ content: [call('t1', 'guarded', { a: 1 }), call('t2', 'guarded', { a: 2 })] }]

  test('decides call by call; the run resumes with the last decision', async () => {
    const server = await open(scripted(twoCalls))
    const asked = await server.ask('go')
    const { session } = asked
    expect(typesOf(asked).slice(-2)).toEqual(['awaiting_approval', 'meta_end'])
    expect(endOf(asked)).toMatchObject({ stop_reason: 'awaiting_approval' })
    expect(await server.state(session)).toMatchObject({
      status: 'paused',
      pending: [],
      pending_approvals: [
        { tool_use_id: 't1', name: 'guarded', input: { a: 1 }, agent: session },
        { tool_use_id: 't2' },
      ],
    })
    const first = await server.decided(session, refuse('t1', 'too dear'))
    expect(first).toMatchObject({ status: 200, isDone: true })
    expect(toMessages(first)).toMatchObject([
      { type: 'tool_status', id: 't1', stage: 'refused', delta: 'too dear' },
    ])
    expect(await server.state(session)).toMatchObject({
      pending_approvals: [{ tool_use_id: 't2' }],
    })
    const second = await server.decided(session, approve('t2', { a: 3 }))
    expect(resultTexts(second)).toEqual([
      expect.stringContaining('Their reason: too dear'),
      'The user changed the arguments before the tool ran: {"a":3}\nran with {"a":3}',
    ])
    const stages = toMessages(second).filter(({ type }) => type === 'tool_status')
    expect(stages.map(({ id, stage, delta }) => `${id} ${String(stage)} ${delta}`)).toEqual(
      expect.arrayContaining(['t2 approved {"a":3}', 't2 started ']),
    )
    expect(endOf(second)).toMatchObject({ stop_reason: 'end_turn', total_steps: 2 })
    server.settled()
  })

  test('answers a repeated decision with the same stream, a different one with 409, an unknown call with 404', async () => {
    const server = await open(scripted(twoCalls))
    const { session } = await server.ask('go')
    const decisions = [approve('t1'), approve('t2')]
    const first = await server.decided(session, ...decisions)
    expect(first.frames.length).toBeGreaterThan(0)
    expect((await server.decided(session, ...decisions)).frames).toEqual(first.frames)
    expect((await server.decided(session, approve('t2'))).frames).toEqual(first.frames)
    const again = await server.ask('more', { agent_uuid: session })
    expect(endOf(again)).toMatchObject({ stop_reason: 'end_turn' })
    expect((await server.decided(session, approve('t1'))).frames).toEqual(first.frames)
    const conflict = await errorOf(await server.decide(session, refuse('t1', 'no')))
    expect(conflict).toMatchObject({ status: 409, code: 'conflict' })
    expect(conflict.message).toContain('the first answer counts')
    for (const id of ['t9', '__proto__']) {
      expect(await errorOf(await server.decide(session, approve(id)))).toMatchObject({
        status: 404,
        code: 'not_found',
      })
    }
    const stranger = await server.decide(crypto.randomUUID(), approve('t1'))
    expect(await errorOf(stranger)).toMatchObject({ status: 404, code: 'not_found' })
    server.settled()
  })

  test('runs the tool once for one hundred concurrent requests', async () => {
    let runs = 0
    const counted = defineTool({
      name: 'counted',
      description: '',
      input: anything,
      needsApproval: true,
      run: () => ++runs,
    })
    const server = await open(
      scripted([{ content: [call('t1', 'counted')] }], { tools: [counted] }),
    )
    const { session } = await server.ask('go')
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => server.decided(session, approve('t1'))),
    )
    expect(runs).toBe(1)
    const whole = answers[0]?.frames
    for (const { frames } of answers) expect(frames).toEqual(whole)
    server.settled()
  })

  test.each([
    [{ tool_use_id: 't1', decision: 'maybe' }],
    [{ tool_use_id: 't1' }],
    [{ tool_use_id: '', decision: 'approve' }],
    [{ tool_use_id: 't1', decision: 'approve', input: 'text' }],
    [{ tool_use_id: 't1', decision: 'refuse', reason: 7 }],
  ])('rejects %j with the reason', async (approval) => {
    const server = await open(scripted(twoCalls))
    const { session } = await server.ask('go')
    expect(await errorOf(await server.decide(session, approval))).toMatchObject({
      status: 400,
      code: 'bad_request',
      message: expect.stringContaining('approvals.0'),
    })
  })

  test('does not accept a result for a decision, and a browser tool needs both', async () => {
    const server = await open(scripted([{ content: [call('t1', 'sign', { a: 1 })] }]))
    const { session } = await server.ask('go')
    const forged = { agent_uuid: session, tool_results: [{ tool_use_id: 't1', content: 'forged' }] }
    expect(await errorOf(await server.post('/agent/tool_results', forged))).toMatchObject({
      status: 404,
    })
    const approved = await server.decided(session, approve('t1', { a: 2 }))
    expect(payloadOf(approved, 'awaiting_frontend_tools')).toEqual([
      { tool_use_id: 't1', name: 'sign', input: { a: 2 } },
    ])
    const signed = await server.answer(session, { t1: 'signed' })
    expect(resultTexts(signed)).toEqual([expect.stringContaining('signed')])
    expect((await server.answer(session, { t1: 'signed' })).frames).toEqual(signed.frames)
    expect((await server.decided(session, approve('t1', { a: 2 }))).frames).toEqual(approved.frames)
    server.settled()
  })
})
