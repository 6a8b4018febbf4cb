import { afterEach, describe, expect, test } from 'vitest'
import { call, confirm, text } from '../../../test/support/agents/agent-harness.ts'
import { createGatedStore, type GatedStore } from '../../../test/support/stores/gated-store.ts'
import { createScriptedModel } from '../../../test/support/agents/scripted-model.ts'
import { createAgent } from '../../agent/create-agent.ts'
import type { FrontendResult } from '../../agent/port/index.ts'
import { createMemoryStore } from '../../stores/memory/index.ts'
import type { PromptRequest } from '../commands/prompt-request.ts'
import { defaultLimits } from '../handler-options.ts'
import type { RunsOptions } from './run-services.ts'
import { createRuns, type Runs } from './runs.ts'
import { joinObservers } from '../server-observer.ts'
import { withStoreErrors } from '../with-store-errors.ts'

interface ServerContext {
  readonly runs: Runs
  readonly store: GatedStore
  readonly asked: () => number
  /** Releases the model. */
  readonly speak: () => void
}

const servers: Runs[] = []

afterEach(async () => {
  await Promise.all(servers.splice(0).map((runs) => runs.close()))
})

/** An agent that calls the browser first; its model waits for a release before each later answer. */
function open(options: Partial<RunsOptions> = {}): ServerContext {
  const store = createGatedStore(createMemoryStore())
  const scripted = createScriptedModel([{ content: [call('c1', 'confirm')] }])
  let speak = (): void => {}
  const heard = new Promise<void>((resolve) => (speak = resolve))
  const model: typeof scripted = {
    ...scripted,
    async *stream(request, given) {
      if (scripted.requests.length > 0) await heard
      yield* scripted.stream(request, given)
    },
  }
  const runs = createRuns({
    ...defaultLimits,
    agents: { asking: createAgent({ name: 'asking', model, tools: [confirm] }) },
    defaultAgent: 'asking',
    store: withStoreErrors(store),
    node: 'here',
    isGone: () => false,
    onRecovered: () => {},
    observer: joinObservers([], () => {}),
    now: Date.now,
    onError: () => {},
    ...options,
  })
  servers.push(runs)
  return { runs, store, asked: () => scripted.requests.length, speak: () => speak() }
}

const question = (session = 's'): PromptRequest => ({
  session,
  prompt: 'go',
  history: false,
  toolInput: 'buffered',
})

const yes: readonly FrontendResult[] = [{ toolUseId: 'c1', content: [text('yes')] }]

const endOf = async (runs: Runs): Promise<void> => runs.active('s')?.over

describe('answers', () => {
  test('one that arrives while the run it started ends does not start another', async () => {
    const { runs, store, asked, speak } = open()
    await runs.ask(question())
    await endOf(runs)
    const first = await runs.answer('s', { results: yes })
    const held = store.hold('info', 'after')
    const second = runs.answer('s', { results: yes })
    await held.reached
    speak()
    await endOf(runs)
    held.release()
    const { after, completion } = await second
    expect(after).toBe(first.after)
    expect(completion.lastId()).toBe(first.completion.lastId())
    expect(asked()).toBe(2)
  })

  test('one that arrives while the pause is being stored is applied after that', async () => {
    const { runs, store } = open()
    const launched = store.hold('append', 'after')
    const paused = store.hold('append', 'before')
    const asked = runs.ask(question())
    launched.release()
    await asked
    await paused.reached
    await expect.poll(() => runs.active('s')?.isEnding()).toBe(true)
    const answered = runs.answer('s', { results: yes })
    paused.release()
    expect((await answered).completion).toBe(runs.active('s'))
  })
})

describe('a run that starts', () => {
  test('is active while its start is being stored', async () => {
    const { runs, store } = open()
    const held = store.hold('append', 'after')
    const asked = runs.ask(question())
    await held.reached
    const run = runs.active('s')
    expect(run?.lastId()).toBeUndefined()
    expect(run?.isInterrupted()).toBe(false)
    held.release()
    expect((await asked).completion).toBe(run)
  })

  test('is inactive if its start cannot be stored, and the next one may start', async () => {
    const { runs, store, asked } = open()
    const held = store.hold('append', 'before')
    const failed = runs.ask(question())
    await held.reached
    const run = runs.active('s')
    held.fail(new Error('The disk is full.'))
    await expect(failed).rejects.toMatchObject({ code: 'store_unavailable' })
    expect(runs.active('s')).toBeUndefined()
    expect(run?.isInterrupted()).toBe(true)
    expect(asked()).toBe(0)
    await runs.ask(question())
    expect(runs.active('s')).toBeDefined()
  })
})

describe('the last run of the quota', () => {
  test('is given to one of several concurrent requests, and released if no run begins', async () => {
    const { runs, store } = open({ maxActiveRuns: 1 })
    const held = store.hold('open', 'before')
    const first = runs.ask(question('first'))
    await held.reached
    await expect(runs.ask(question('second'))).rejects.toMatchObject({ code: 'overloaded' })
    held.fail(new Error('The disk is full.'))
    await expect(first).rejects.toMatchObject({ code: 'store_unavailable' })
    await runs.ask(question('third'))
    await runs.active('third')?.over
    await runs.ask(question('fourth'))
  })

  test('is in use while a run is launched', async () => {
    const { runs, store } = open({ maxActiveRuns: 2 })
    const held = store.hold('append', 'before')
    const first = runs.ask(question('first'))
    await held.reached
    await runs.ask(question('second'))
    held.release()
    await first
  })
})

test('a run that is being prepared when the server closes is rejected, and nothing of it is stored', async () => {
  const { runs, store } = open()
  const held = store.hold('open', 'after')
  const asked = runs.ask(question())
  await held.reached
  await runs.close()
  held.release()
  await expect(asked).rejects.toMatchObject({ code: 'overloaded' })
  expect(await store.info('s')).toMatchObject({ head: undefined })
})
