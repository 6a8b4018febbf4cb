import { afterEach, describe, expect, test, vi } from 'vitest'
import type { CreatedAgent } from '../../src/agent/create-agent.ts'
import { createSession } from '../../src/client/transport/http/http-session.ts'
import { steerRun, stopRun } from '../../src/client/commands/control-run.ts'
import { answerCall, type Session } from '../../src/client/index.ts'
import { type AgentNode, rootAgent, type Transcript } from '../../src/client/transcript/index.ts'
import { call, confirm, createGate, text, tool } from '../support/agents/agent-harness.ts'
import { setUpChild, spawn } from '../support/agents/family.ts'
import { createTestServers, slowPace } from '../support/servers/test-servers.ts'
import { toMessages } from '../support/frames/read-stream.ts'
import { scripted } from '../support/servers/scripted-server.ts'

const testServers = createTestServers()
afterEach(testServers.close)

const look = (session: Session): Transcript => session.getSnapshot().transcript
const textOf = (session: Session): string =>
  [...(rootAgent(look(session))?.blocks ?? [])]
    .map((block) => (block.type === 'text' ? block.text : ''))
    .join('')
const reasonOf = (agent: AgentNode | undefined) => agent?.summary?.['stop_reason']
const agentNamed = (session: Session, name: string) =>
  [...look(session).agents].find((agent) => agent.name === name)

async function begin(prompt: string, words: string) {
  const server = await testServers.open({ pace: slowPace })
  const session = createSession({ url: server.url })
  const run = session.run(prompt)
  await vi.waitUntil(() => textOf(session).includes(words), { timeout: 10_000, interval: 5 })
  return { server, session, run }
}

const until = (isSo: () => boolean) => vi.waitUntil(isSo, { timeout: 10_000, interval: 5 })
const resultOf = (session: Session, id: string): string | undefined =>
  [...(rootAgent(look(session))?.blocks ?? [])].find((block) => block.id === id)?.result?.text

/** A run with a sub-agent, beside a tool that runs until it is released. */
async function beginFamily(child: CreatedAgent) {
  const gate = createGate()
  const slow = tool('slow', () => gate.passed.then(() => 'slow ran'))
  const calls = [spawn('t1', { agent_name: child.name }), call('t2', 'slow')]
  const agent = scripted([{ content: calls }], { tools: [slow], subagents: [child] })
  const server = await testServers.open({ agents: { demo: agent } })
  const session = createSession({ url: server.url })
  return { server, gate, session, run: session.run('go') }
}

describe('stopping', () => {
  test('ends the run with the emitted text, and reports the stop', async () => {
    const { session, run, server } = await begin('/demo long 100000', ' 20 ')
    expect(await stopRun(session)).toBe(true)
    await run
    expect(look(session).status).toBe('aborted')
    expect(textOf(session)).toMatch(/ 20 /)
    expect(await stopRun(session)).toBe(false)
    await session.run('/demo thinking')
    expect(look(session).status).toBe('complete')
    expect(server.errors).toEqual([])
  })

  test('ends a paused run, and notifies the page', async () => {
    const server = await testServers.open()
    const session = createSession({ url: server.url })
    await session.run('/demo approval')
    expect(look(session).pending).toHaveLength(1)
    expect(await stopRun(session)).toBe(true)
    await vi.waitUntil(() => look(session).status === 'aborted', { timeout: 10_000 })
    expect(look(session).pending).toEqual([])
  })

  test('one sub-agent leaves the others active', async () => {
    const endless = { openBlock: text('half'), hangs: 'until_aborted' } as const
    const { agent: surveyor } = setUpChild([endless], { name: 'surveyor' })
    const { gate, session, run } = await beginFamily(surveyor)
    const state = () => agentNamed(session, 'surveyor')
    await until(() => state()?.blocks.length === 1)
    expect(await stopRun(session, state()?.id)).toBe(true)
    await until(() => reasonOf(state()) === 'aborted')
    expect(look(session).status).toBe('streaming')
    gate.open()
    await run
    expect(look(session).status).toBe('complete')
    expect(resultOf(session, 't2')).toBe('slow ran')
  })
})

describe('steering', () => {
  test('places the message where it arrived, and the answer continues after it', async () => {
    const { session, run } = await begin('/demo long 100000', ' 20 ')
    expect(await steerRun(session, '/demo thinking')).toBe(true)
    await run
    const types = [...(rootAgent(look(session))?.blocks ?? [])].map(({ type }) => type)
    expect(types).toEqual(['text', 'user_message', 'thinking', 'text'])
    expect(textOf(session)).toContain('**204.**')
    expect(rootAgent(look(session))?.runs.length).toBe(1)
    expect(look(session).status).toBe('complete')
  })

  test('is rejected after the run has ended', async () => {
    const server = await testServers.open()
    const session = createSession({ url: server.url })
    await session.run('/demo thinking')
    expect(await steerRun(session, 'Shorter, please.')).toBe(false)
  })
})

test('a sub-agent is answered while others continue', async () => {
  const { agent } = setUpChild([{ content: [call('c1', 'confirm')] }], { tools: [confirm] })
  const { server, gate, session, run } = await beginFamily(agent)
  await until(() => look(session).pending.length > 0)
  await answerCall(session, 'c1', 'yes')
  await until(() => resultOf(session, 't1')?.includes('Answer of the agent') === true)
  expect(look(session).status).toBe('streaming')
  gate.open()
  await run
  expect(look(session).status).toBe('complete')
  expect(resultOf(session, 't2')).toBe('slow ran')
  // The run never paused: the root has ended once.
  const ends = toMessages(await server.watch(session.id)).filter(({ type }) => type === 'meta_end')
  expect(ends.filter(({ agent }) => agent === session.id)).toHaveLength(1)
})
