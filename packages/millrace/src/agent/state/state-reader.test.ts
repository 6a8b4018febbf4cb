import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { call, confirm, text, tool } from '../../../test/support/agents/agent-harness.ts'
import {
  createScriptedModel,
  type ScriptedReply,
} from '../../../test/support/agents/scripted-model.ts'
import { StoredLanes } from '../../../test/support/agents/stored-state.ts'
import { runs } from '../../../test/support/runs.ts'
import type { Compactor } from '../compaction/index.ts'
import { createAgent } from '../create-agent.ts'
import type { AgentEvent, Message } from '../../events/index.ts'
import type { Offer, PauseAnswers, RunStart } from '../port/index.ts'
import type { AgentState as State, AgentState } from './agent-state.ts'
import { type ReadState, readState, StoredCheckpoint } from './index.ts'

const note: Message = { role: 'user', content: [text('what was said so far')] }

/** An agent that compacts its context on request, and the state that a server stores of it. */
function setUp(replies: readonly ScriptedReply[]) {
  const model = createScriptedModel(replies)
  let isDue = false
  const compactor: Compactor = {
    name: 'when told',
    compact: ({ messages }) => {
      if (!isDue) return messages
      isDue = false
      const isAnswer = messages.at(-1)?.content.some(({ type }) => type === 'tool_result')
      if (isAnswer === true) return [note, ...messages.slice(-2)]
      return [note, { role: 'assistant', content: [text('I see.')] }, ...messages.slice(-1)]
    },
  }
  let ids = 0
  const tools = [confirm, tool('grind', () => 'flour '.repeat(150))]
  const agent = createAgent({ name: 'miller', model, tools, compactor, createId: () => `${ids++}` })
  const lanes = new StoredLanes()
  const keep = (items: readonly unknown[]): readonly AgentEvent[] => {
    const checkpoints = items.filter((item) => item instanceof StoredCheckpoint)
    for (const one of checkpoints) lanes.write(one.encode())
    return items.filter((item): item is AgentEvent => !(item instanceof StoredCheckpoint))
  }
  const run = async (start: Omit<RunStart, 'agent' | 'stored'>): Promise<readonly AgentEvent[]> =>
    keep(await itemsOf(agent.run({ agent: 'a', stored: lanes, ...start })))
  const offer = (answers: PauseAnswers, isKept = true): Promise<Offer> => {
    const offered = agent.offer?.(lanes, { type: 'answer', answers, at: 0 })
    if (offered === undefined) throw new Error('The agent takes no offers.')
    return offered.then((one) => {
      if (isKept && one.checkpoint !== undefined) keep([one.checkpoint])
      return one
    })
  }
  const compactNext = (): void => {
    isDue = true
  }
  return { agent, model, lanes, run, offer, compactNext }
}

async function itemsOf(stream: AsyncIterable<unknown>): Promise<readonly unknown[]> {
  const items: unknown[] = []
  for await (const item of stream) items.push(item)
  return items
}

async function read(lanes: StoredLanes, isWhole = false): Promise<State> {
  const found: ReadState | undefined = await readState(lanes, { isForModel: !isWhole })
  if (found === undefined) throw new Error('There is no state.')
  return found.state
}

const grinding = (id: string): ScriptedReply => ({ content: [text('so'), call(id, 'grind')] })
const asking = (id: string): ScriptedReply => ({ content: [call(id, 'confirm')] })
const done: ScriptedReply = { content: [text('done')] }
const yes = (callId: string) => ({ results: [{ toolUseId: callId, content: 'yes' }] })

/** The number of reads for a run and an answer, after a compaction that follows `count` runs. */
async function readsAfter(count: number): Promise<readonly number[]> {
  const script = Array.from({ length: count }, (_, n) => [grinding(`g${n}`), done]).flat()
  const { run, offer, lanes, compactNext } = setUp([...script, done, asking('c1')])
  for (let n = 0; n < count; n++) await run({ prompt: `question ${n}` })
  compactNext()
  await run({ prompt: 'short now' })
  const measured = async (work: () => Promise<unknown>): Promise<number> => {
    const before = lanes.reads
    await work()
    return lanes.reads - before
  }
  const starting = await measured(() => run({ prompt: 'ask me' }))
  const { checkpoint } = await offer(yes('c1'), false)
  const answering = await measured(() => offer(yes('c1')))
  const resuming = await measured(() => run({ from: checkpoint }))
  return [starting, answering, resuming]
}

test('starting a run and answering a pause read as much after few messages before a compaction as after many', async () => {
  const few = await readsAfter(2)
  const many = await readsAfter(60)
  expect(many).toEqual(few)
  expect(Math.max(...many)).toBeLessThan(20)
})

test('a compaction within a run counts for its pauses too', async () => {
  const answered = async (steps: number): Promise<number> => {
    const script = Array.from({ length: steps }, (_, n) => grinding(`g${n}`))
    const { run, offer, lanes, compactNext } = setUp([...script, asking('c1'), asking('c2'), done])
    await run({ prompt: 'go' })
    compactNext()
    await offer(yes('c1'))
    await run({})
    const before = lanes.reads
    expect(await offer(yes('c2'))).toMatchObject({ verdict: 'taken', resumes: true })
    const reads = lanes.reads - before
    const events = await run({})
    expect(events.at(-1)).toMatchObject({ type: 'run_end', stopReason: 'end_turn' })
    const { messages } = await read(lanes, true)
    expect(messages).toHaveLength(2 * steps + 6)
    return reads
  }
  expect(await answered(40)).toBe(await answered(2))
})

test('after many compactions few parts are read and each id of a call is written few times', async () => {
  const { run, lanes, compactNext } = setUp(
    Array.from({ length: 64 }, () => [grinding('g1'), done]).flat(),
  )
  for (let n = 0; n < 64; n++) {
    compactNext()
    await run({ prompt: `question ${n}` })
  }
  const before = lanes.reads
  const { skipped, messages } = await read(lanes)
  expect(lanes.reads - before).toBeLessThan(40)
  expect(messages.length).toBeLessThan(8)
  expect(skipped?.calls).toEqual(Array.from({ length: 63 }, (_, n) => `g${n + 1}`))
  let written = 0
  for await (const { body } of lanes.parts(0)) {
    const { value } = JSON.parse(body) as { readonly value?: unknown }
    if (Array.isArray(value)) written += value.length
  }
  expect(written).toBeLessThan(64 * 7)
})

describe('calls from before a compaction', () => {
  const script = [asking('c1'), done, done, asking('c1'), done]

  test('keep their ids, so that later calls get others', async () => {
    const { run, offer, lanes, compactNext } = setUp(script)
    await run({ prompt: 'one' })
    await offer(yes('c1'))
    await run({})
    compactNext()
    await run({ prompt: 'two' })
    await run({ prompt: 'three' })
    const { pause, skipped } = await read(lanes)
    expect(skipped?.calls).toEqual(['c1'])
    expect(pause?.calls.map(({ id }) => id)).toEqual(['c2'])
  })

  test('have answers that are recognized, and refused if they differ', async () => {
    const { run, offer, compactNext } = setUp(script)
    await run({ prompt: 'one' })
    await offer(yes('c1'))
    await run({})
    compactNext()
    await run({ prompt: 'two' })
    await run({ prompt: 'three' })
    expect(await offer(yes('c1'))).toMatchObject({ verdict: 'repeated' })
    const other = { results: [{ toolUseId: 'c1', content: 'no' }] }
    expect(await offer(other)).toMatchObject({ verdict: 'conflict' })
    const ofOther = { results: [{ toolUseId: 'c1', content: 'yes', agent: 'b' }] }
    expect(await offer(ofOther)).toMatchObject({ verdict: 'conflict' })
    expect(await offer(yes('c9'))).toMatchObject({ verdict: 'unknown' })
  })
})

test('readers that request the history get all of it after a compaction', async () => {
  const { run, compactNext } = setUp([])
  await run({ prompt: 'one' })
  compactNext()
  await run({ prompt: 'two' })
  const events = await run({ prompt: 'three', needsHistory: true })
  const [start, end] = [events[0], events.at(-1)]
  if (start?.type !== 'run_start' || end?.type !== 'run_end') throw new Error('No run.')
  expect(start.messages.map(({ content }) => content[0]?.['text'])).toEqual([
    'one',
    'done',
    'two',
    'done',
    'three',
  ])
  expect(end.history).toHaveLength(6)
})

test('a state of an older version with a compacted context is read whole, and skips messages from its next checkpoint on', async () => {
  const { run, lanes, compactNext } = setUp([grinding('g1'), done, done])
  await run({ prompt: 'one' })
  compactNext()
  await run({ prompt: 'two' })
  const older = new StoredLanes()
  for (const [lane, body] of await lanes.cells()) {
    const { start: _, ...cell } = JSON.parse(body) as { readonly start: number }
    older.write([{ lane, number: 0, body: JSON.stringify(cell) }])
  }
  for await (const { number, body } of lanes.parts(0)) older.write([{ lane: 0, number, body }])
  const state = await read(older)
  expect(state.skipped).toBeUndefined()
  expect(state).toEqual(await read(lanes, true))
  const { writer } = (await readState(older, { isForModel: true })) as ReadState
  older.write(writer.write({ ...state, steps: 9 }))
  const after = await read(older)
  expect(after.skipped).toEqual((await read(lanes)).skipped)
  expect(await read(older, true)).toEqual({ ...state, steps: 9 })
})

/** The next event of a conversation. */
type Act = 'prompt' | 'grind' | 'ask' | 'compact' | 'stop'

/** Executes actions with a state in memory or in a store, and returns all requests and calls. */
async function play(acts: readonly Act[], isStored: boolean) {
  const ids = ['g', 'call_1', 'c1']
  const replies = acts.map((act, n): ScriptedReply => {
    const id = ids[n % ids.length] ?? ''
    if (act === 'grind') return grinding(id)
    return act === 'ask' ? asking(id) : done
  })
  const { agent, model, run, offer, lanes, compactNext } = setUp(replies)
  const calls: string[] = []
  const note = (items: readonly unknown[]): void => {
    for (const item of items as readonly AgentEvent[])
      if (item.type === 'block_end' && item.kind === 'tool_call')
        calls.push(String(item.content['id']))
  }
  let state: AgentState | undefined
  const go = async (start: { readonly prompt?: string; readonly stop?: true }, answers = {}) => {
    if (isStored) return note(await run(start))
    const running = agent.run({ agent: 'a', ...(state && { state }), ...start, ...answers })
    note(await itemsOf(running))
    ;({ state } = await running.result())
  }
  const paused = async () => (isStored ? await read(lanes) : state)?.pause?.calls[0]?.id
  for (const [n, act] of acts.entries()) {
    const waiting = n === 0 ? undefined : await paused()
    if (act === 'compact') compactNext()
    if (waiting !== undefined && act === 'stop') await go({ stop: true })
    else if (waiting !== undefined && act !== 'prompt') {
      if (isStored) await offer(yes(waiting))
      await go({}, yes(waiting))
    } else await go({ prompt: `question ${n}` })
  }
  return { requests: model.requests, calls, lanes }
}

test('for any compactions at any time the model gets the same from a stored state as from one in memory, and no two calls have one id', async () => {
  const anyActs = fc.array(fc.constantFrom<Act>('prompt', 'grind', 'ask', 'compact', 'stop'), {
    minLength: 2,
    maxLength: 14,
    size: 'max',
  })
  let skips = 0
  await fc.assert(
    fc.asyncProperty(anyActs, async (acts) => {
      const inMemory = await play(acts, false)
      const { requests, calls, lanes } = await play(acts, true)
      expect(requests).toEqual(inMemory.requests)
      expect(calls).toEqual(inMemory.calls)
      expect(new Set(calls).size).toBe(calls.length)
      const last = await read(lanes)
      if (last.skipped !== undefined) skips++
      const whole = await read(lanes, true)
      expect(whole.messages.slice(last.skipped?.count ?? 0)).toEqual(last.messages)
    }),
    { numRuns: runs(60, 3_000) },
  )
  expect(skips).toBeGreaterThan(10)
})
