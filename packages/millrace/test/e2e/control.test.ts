import { afterEach, describe, expect, test, vi } from 'vitest'
import {
  answerCall,
  createSession,
  type Session,
  steerRun,
  stopRun,
} from '../../src/client/index.ts'
import { type AgentNode, rootAgent, type Transcript } from '../../src/transcript/index.ts'
import { createStreet, slowPace } from '../support/house-talk.ts'

const street = createStreet()
afterEach(street.close)

const look = (session: Session): Transcript => session.getSnapshot().transcript
const textOf = (session: Session): string =>
  [...(rootAgent(look(session))?.blocks ?? [])]
    .map((block) => (block.type === 'text' ? block.text : ''))
    .join('')
const reasonOf = (agent: AgentNode | undefined) => agent?.summary?.['stop_reason']
const agentNamed = (session: Session, name: string) =>
  [...look(session).agents].find((agent) => agent.name === name)

async function begin(prompt: string, words: string) {
  const house = await street.open({ pace: slowPace })
  const session = createSession({ url: house.url })
  const run = session.run(prompt)
  await vi.waitUntil(() => textOf(session).includes(words), { timeout: 10_000, interval: 5 })
  return { house, session, run }
}

describe('stopping', () => {
  test('ends the run with what was said, and says so', async () => {
    const { session, run, house } = await begin('/demo long 5000', ' 20 ')
    expect(await stopRun(session)).toBe(true)
    await run
    expect(look(session).status).toBe('aborted')
    expect(textOf(session)).toMatch(/ 20 /)
    expect(await stopRun(session)).toBe(false)
    await session.run('/demo thinking')
    expect(look(session).status).toBe('complete')
    expect(house.errors).toEqual([])
  })

  test('closes a run that waits, and the page learns of it', async () => {
    const house = await street.open()
    const session = createSession({ url: house.url })
    await session.run('/demo approval')
    expect(look(session).pending).toHaveLength(1)
    expect(await stopRun(session)).toBe(true)
    await vi.waitUntil(() => look(session).status === 'aborted', { timeout: 10_000 })
    expect(look(session).pending).toEqual([])
  })

  test('one sub-agent alone leaves the others at work', async () => {
    const { session, run } = await begin('/demo subagents', 'Two questions')
    const surveyor = () => agentNamed(session, 'surveyor')
    await vi.waitUntil(() => surveyor() !== undefined, { timeout: 10_000, interval: 5 })
    expect(await stopRun(session, surveyor()?.id)).toBe(true)
    await run
    const [question] = look(session).pending
    expect(question).toMatchObject({ name: 'user_confirm' })
    await answerCall(session, question?.toolUseId ?? '', 'no')
    await vi.waitUntil(() => look(session).status === 'complete', { timeout: 20_000 })
    expect(reasonOf(surveyor())).toBe('aborted')
    expect(reasonOf(agentNamed(session, 'engineer'))).toBe('end_turn')
    expect(reasonOf(agentNamed(session, 'historian'))).toBe('end_turn')
    expect(textOf(session)).toContain('I do not guess')
  })
})

describe('steering', () => {
  test('what is told stands where it came, and the answer goes on from it', async () => {
    const { session, run } = await begin('/demo long 5000', ' 20 ')
    expect(await steerRun(session, '/demo thinking')).toBe(true)
    await run
    const types = [...(rootAgent(look(session))?.blocks ?? [])].map(({ type }) => type)
    expect(types).toEqual(['text', 'user_message', 'thinking', 'text'])
    expect(textOf(session)).toContain('**204.**')
    expect(rootAgent(look(session))?.runs.length).toBe(1)
    expect(look(session).status).toBe('complete')
  })

  test('is too late once the run is over', async () => {
    const house = await street.open()
    const session = createSession({ url: house.url })
    await session.run('/demo thinking')
    expect(await steerRun(session, 'Shorter, please.')).toBe(false)
  })
})

test('a sub-agent is answered while others go on', async () => {
  const { session, run } = await begin('/demo subagents', 'Two questions')
  await vi.waitUntil(() => look(session).pending.length > 0, { timeout: 10_000, interval: 5 })
  const { toolUseId = '' } = look(session).pending[0] ?? {}
  await answerCall(session, toolUseId, 'yes')
  await run
  expect(look(session).status).toBe('complete')
  // The run never paused: the root has ended once.
  expect(rootAgent(look(session))?.runs.length).toBe(1)
  expect(textOf(session)).toContain('1791')
})
