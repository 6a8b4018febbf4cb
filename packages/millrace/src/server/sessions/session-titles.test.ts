import { afterEach, describe, expect, test } from 'vitest'
import { call, confirm, text } from '../../../test/support/agents/agent-harness.ts'
import { createGatedStore } from '../../../test/support/stores/gated-store.ts'
import {
  createScriptedModel,
  type ScriptedReply,
} from '../../../test/support/agents/scripted-model.ts'
import { createAgent } from '../../agent/create-agent.ts'
import { createMemoryStore } from '../../stores/memory/index.ts'
import { defaultLimits } from '../handler-options.ts'
import type { RunsOptions } from '../runs/run-services.ts'
import { createRuns, type Runs } from '../runs/runs.ts'
import { joinObservers } from '../server-observer.ts'
import { loadState, loadStored } from '../../../test/support/stores/load-stored.ts'
import { decodeHead } from './session-record.ts'

const servers: Runs[] = []

afterEach(async () => {
  await Promise.all(servers.splice(0).map((runs) => runs.close()))
})

/**
 * A server whose titles arrive when the test releases them, and whose model may wait for a release
 * before it ends.
 */
function open(
  replies: readonly ScriptedReply[] = [],
  { waits = false, ...options }: Partial<RunsOptions> & { readonly waits?: boolean } = {},
) {
  const store = createGatedStore(createMemoryStore())
  const errors: unknown[] = []
  const asked: unknown[] = []
  let tell = (_title: string): void => {}
  let speak = (): void => {}
  const heard = new Promise<void>((resolve) => (speak = resolve))
  const scripted = createScriptedModel(replies)
  const model: typeof scripted = {
    ...scripted,
    async *stream(request, given) {
      for await (const event of scripted.stream(request, given)) {
        if (event.type === 'message_end' && waits) await heard
        yield event
      }
    },
  }
  const runs = createRuns({
    ...defaultLimits,
    agents: { miller: createAgent({ name: 'miller', model, tools: [confirm] }) },
    defaultAgent: 'miller',
    store,
    node: 'here',
    isGone: () => false,
    onRecovered: () => {},
    observer: joinObservers([], () => {}),
    now: Date.now,
    onError: (error) => errors.push(error),
    title: (prompt) => {
      asked.push(prompt)
      return new Promise((resolve) => (tell = resolve))
    },
    ...options,
  })
  servers.push(runs)

  const look = async () => {
    const info = await store.info('s')
    if (info?.head === undefined) throw new Error('Nothing is stored.')
    const stored = await loadStored(store, 's')
    const state = await loadState(store, 's')
    return { ...info, stored, state, summary: decodeHead(info.head) }
  }
  return {
    runs,
    store,
    errors,
    asked,
    look,
    speak: () => speak(),
    ask: () =>
      runs.ask({ session: 's', prompt: 'How much flour?', history: false, toolInput: 'buffered' }),
    over: async () => runs.active('s')?.over,
    /** Releases the title, and waits until it was processed. */
    tell: async (title: string) => {
      tell(title)
      await new Promise((resolve) => setImmediate(resolve))
    },
  }
}

describe('a title', () => {
  test('that arrives after the run is stored by itself: same epoch, same log, same state', async () => {
    const { ask, over, look, tell } = open()
    await ask()
    await over()
    const before = await look()
    expect(before.stored.title).toBe('How much flour?')
    await tell('Flour from wheat')
    const after = await look()
    expect(after.stored).toEqual({ ...before.stored, title: 'Flour from wheat' })
    expect(after.summary.title).toBe('Flour from wheat')
    expect([after.epoch, after.tail]).toEqual([before.epoch, before.tail])
  })

  test('that arrives during the run is stored with the next append, and the run continues', async () => {
    const { ask, over, look, tell, speak, errors } = open([], { waits: true })
    await ask()
    await tell('Flour from wheat')
    speak()
    await over()
    const { stored, state, epoch } = await look()
    expect(stored).toMatchObject({ title: 'Flour from wheat', status: 'ended', runs: 1 })
    expect(state?.messages).toHaveLength(2)
    expect([epoch, errors]).toEqual([1, []])
  })

  test('is requested once, and no later run changes it', async () => {
    const { ask, over, look, tell, asked } = open()
    await ask()
    await tell('Flour from wheat')
    await over()
    await ask()
    await over()
    const { stored } = await look()
    expect(stored).toMatchObject({ title: 'Flour from wheat', runs: 2 })
    expect(asked).toEqual(['How much flour?'])
  })

  test('that arrives while the next run is prepared is not lost', async () => {
    const { ask, over, look, tell, store } = open()
    await ask()
    await over()
    const held = store.hold('info', 'after')
    const second = ask()
    await held.reached
    await tell('Flour from wheat')
    held.release()
    await second
    await over()
    expect((await look()).stored).toMatchObject({ title: 'Flour from wheat', runs: 2 })
  })

  test('that arrives after a pause was answered is stored by the resumed run', async () => {
    const { ask, over, look, tell, runs } = open([{ content: [call('c1', 'confirm')] }])
    await ask()
    await over()
    await runs.answer('s', { results: [{ toolUseId: 'c1', content: [text('yes')] }] })
    await over()
    await tell('Flour from wheat')
    const { stored, state } = await look()
    expect(stored).toMatchObject({ title: 'Flour from wheat', status: 'ended' })
    expect(state?.messages).toHaveLength(4)
  })

  test('is dropped if another writer has taken over the session', async () => {
    const { ask, over, look, tell, store, errors } = open()
    await ask()
    await over()
    const { head, tail } = await look()
    const { epoch } = await store.open('s')
    const line = new TextEncoder().encode('{}')
    const foreign = head!.replace('"runs":1', '"runs":7')
    await store.append({ session: 's', epoch, tail, lines: [line], head: foreign })
    await tell('Flour from wheat')
    expect((await look()).head).toEqual(foreign)
    expect(errors).toEqual([])
  })

  test('is one line within the length limit', async () => {
    const { ask, over, look, tell } = open()
    await ask()
    await over()
    await tell(`  Flour\n${'from wheat '.repeat(20)}`)
    const { title } = (await look()).stored
    expect(title).toMatch(/^Flour from wheat .*…$/)
    expect(title).toHaveLength(80)
  })
})

describe('the beginning of the prompt remains the title', () => {
  test('if the titler fails, which is reported', async () => {
    const broken = new Error('no names today')
    for (const title of [
      () => Promise.reject(broken),
      () => {
        throw broken
      },
    ]) {
      const { ask, over, look, errors } = open([], { title })
      await ask()
      await over()
      expect((await look()).stored).toMatchObject({ title: 'How much flour?', status: 'ended' })
      expect(errors).toEqual([broken])
    }
  })

  test('if the titler returns nothing, or too late', async () => {
    const silent = open()
    await silent.ask()
    await silent.over()
    await silent.tell(' \n')
    expect((await silent.look()).stored.title).toBe('How much flour?')

    const late = open([], { titleTimeoutMs: 1 })
    await late.ask()
    await late.over()
    await new Promise((resolve) => setTimeout(resolve, 10))
    await late.tell('Too late')
    expect((await late.look()).stored.title).toBe('How much flour?')
  })

  test('if the server was closed meanwhile', async () => {
    const { ask, over, look, tell, runs } = open()
    await ask()
    await over()
    await runs.close()
    await tell('Too late')
    expect((await look()).stored.title).toBe('How much flour?')
  })
})
