import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { call, confirm, text } from '../../../test/support/agents/agent-harness.ts'
import { createGatedStore, type GatedStore } from '../../../test/support/stores/gated-store.ts'
import { createJitteredStore } from '../../../test/support/stores/jittered-store.ts'
import { byAnswers, createScriptedModel } from '../../../test/support/agents/scripted-model.ts'
import { createAgent } from '../../agent/create-agent.ts'
import type { FrontendResult } from '../../agent/port/index.ts'
import { decodeEnvelope } from '../../events/index.ts'
import { isMillraceError } from '../../errors/index.ts'
import { createMemoryStore } from '../../stores/memory/index.ts'
import type { Store } from '../../stores/port/index.ts'
import { defaultLimits } from '../handler-options.ts'
import type { RunsOptions } from '../runs/run-services.ts'
import { createRuns, type Runs } from '../runs/runs.ts'
import { joinObservers } from '../server-observer.ts'

const testServers: Runs[] = []

afterEach(async () => {
  await Promise.all(testServers.splice(0).map((runs) => runs.close()))
})

/** One of several servers on a store, with an agent that asks the browser first. */
function open(store: Store, node: string, options: Partial<RunsOptions> = {}): Runs {
  const model = createScriptedModel([{ content: [call('c1', 'confirm')] }], byAnswers)
  const runs = createRuns({
    ...defaultLimits,
    agents: { asking: createAgent({ name: 'asking', model, tools: [confirm] }) },
    defaultAgent: 'asking',
    store,
    node,
    isGone: () => false,
    onRecovered: () => {},
    observer: joinObservers([], () => {}),
    now: Date.now,
    onError: () => {},
    ...options,
  })
  testServers.push(runs)
  return runs
}

/** Two accesses to one store, each of which can hold calls. */
function shareStore(): readonly [GatedStore, GatedStore] {
  const store = createMemoryStore()
  return [createGatedStore(store), createGatedStore(store)]
}

const ask = (runs: Runs) =>
  runs.ask({ session: 's', prompt: 'go', history: false, toolInput: 'buffered' })

const yes: readonly FrontendResult[] = [{ toolUseId: 'c1', content: [text('yes')] }]

const outcomeOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'taken',
    (error: unknown) => (isMillraceError(error) ? error.code : String(error)),
  )

async function endOf(servers: readonly Runs[]): Promise<void> {
  for (const runs of servers) await runs.active('s')?.over
}

async function typesIn(store: Store): Promise<readonly string[]> {
  const lines = await store.read('s', 0, 10_000)
  return lines.map(({ line }) => decodeEnvelope(new TextDecoder().decode(line)).type)
}

const countOf = (types: readonly string[], type: string): number =>
  types.filter((one) => one === type).length

/** Numbers from 0 to 1 from fast-check, repeated without end. */
function toRandom(numbers: readonly number[]): () => number {
  let next = 0
  return () => (numbers[next++ % numbers.length] ?? 0) / 256
}

const anyPace = fc.array(fc.nat(255), { minLength: 16, maxLength: 64 }).map(toRandom)

describe('concurrent requests to several servers', () => {
  test('one prompt begins a run, and the others are rejected as busy', async () => {
    await fc.assert(
      fc.asyncProperty(anyPace, async (random) => {
        const store = createMemoryStore()
        const slow = createJitteredStore(store, random)
        const servers = ['one', 'two', 'three'].map((node) => open(slow, node))
        const outcomes = await Promise.all(servers.map((runs) => outcomeOf(ask(runs))))
        await endOf(servers)
        const types = await typesIn(store)
        const taken = outcomes.filter((outcome) => outcome === 'taken').length
        expect(countOf(types, 'meta_end')).toBe(taken)
        expect((await store.info('s'))?.head).toContain(`"runs":${taken},`)
        expect(outcomes.filter((outcome) => outcome !== 'taken' && outcome !== 'conflict')).toEqual(
          [],
        )
      }),
      { numRuns: 60 },
    )
  })

  test('one result is emitted and one run resumes, and all requests are answered', async () => {
    await fc.assert(
      fc.asyncProperty(anyPace, async (random) => {
        const store = createMemoryStore()
        const first = open(store, 'first')
        await ask(first)
        await first.active('s')?.over
        const slow = createJitteredStore(store, random)
        const servers = ['one', 'two', 'three'].map((node) => open(slow, node))
        const answers = servers.map((runs) => outcomeOf(runs.answer('s', { results: yes })))
        expect(await Promise.all(answers)).toEqual(['taken', 'taken', 'taken'])
        await endOf(servers)
        const types = await typesIn(store)
        expect(countOf(types, 'tool_result')).toBe(1)
        expect(countOf(types, 'meta_end')).toBe(2)
        expect((await store.info('s'))?.head).toContain('"ended"')
      }),
      { numRuns: 60 },
    )
  })

  test('a run that one of them is about to begin is not recovered by others', async () => {
    const replies = [
      { content: [call('c1', 'confirm')] },
      { content: [text('flour')], hangs: 'until_aborted' },
    ] as const
    const model = createScriptedModel(replies, byAnswers)
    const agents = { asking: createAgent({ name: 'asking', model, tools: [confirm] }) }
    const [oneStore, twoStore] = shareStore()
    const one = open(oneStore, 'one', { agents })
    const two = open(twoStore, 'two', { agents })
    await ask(one)
    await one.active('s')?.over
    const begins = oneStore.hold('append', 'before')
    const fromOne = one.answer('s', { results: yes })
    await begins.reached
    // The other one reads after the first has opened the session, and before the first has written a reason.
    const looks = twoStore.hold('info', 'after')
    const opens = twoStore.hold('open', 'before')
    const fromTwo = two.answer('s', { results: yes })
    await looks.reached
    looks.release()
    await Promise.race([opens.reached, new Promise((resolve) => setTimeout(resolve, 50))])
    begins.release()
    await fromOne
    opens.release()
    await fromTwo
    expect(two.active('s')).toBeUndefined()
    expect(one.active('s')?.isEnding()).toBe(false)
    expect(model.requests).toHaveLength(2)
  })

  test('one of them recovers a lost run', async () => {
    await fc.assert(
      fc.asyncProperty(anyPace, async (random) => {
        const store: Store = { ...createMemoryStore(), isDurable: true }
        const hanging = createScriptedModel([{ content: [text('flour')], hangs: 'until_aborted' }])
        const agents = { asking: createAgent({ name: 'asking', model: hanging }) }
        const dead = open(store, 'dead', { agents })
        await ask(dead)
        await dead.close()
        const slow = createJitteredStore(store, random)
        const servers = ['one', 'two', 'three'].map((node) => open(slow, node))
        const found = await Promise.all(servers.map((runs) => runs.recover()))
        expect(found.flat()).toEqual(['s'])
        await endOf(servers)
        expect(countOf(await typesIn(store), 'meta_end')).toBe(1)
      }),
      { numRuns: 60 },
    )
  })
})
