import { afterEach, describe, expect, test } from 'vitest'
import { call, confirm, text } from '../../test/support/agents/agent-harness.ts'
import {
  createScriptedModel,
  type ScriptedReply,
} from '../../test/support/agents/scripted-model.ts'
import { createAgent } from '../agent/create-agent.ts'
import { createMemoryStore } from '../stores/memory/index.ts'
import type { Store } from '../stores/port/index.ts'
import { createHandler, type Handler } from './handler.ts'
import type { HandlerOptions } from './handler-options.ts'
import type { ServerObserver } from './server-observer.ts'

const handlers: Handler[] = []

afterEach(async () => {
  await Promise.all(handlers.splice(0).map((handler) => handler.close()))
})

/** Records calls: their kind and known values. */
function createRecorder() {
  const seen: [string, Record<string, unknown>][] = []
  const note =
    (kind: string) =>
    (about: object | string): void =>
      void seen.push([kind, typeof about === 'string' ? { session: about } : { ...about }])
  const observer: ServerObserver = {
    runStarted: note('runStarted'),
    runEnded: note('runEnded'),
    readerOpened: note('readerOpened'),
    readerClosed: note('readerClosed'),
    appended: note('appended'),
  }
  const of = (kind: string) => seen.filter(([one]) => one === kind).map(([, about]) => about)
  return { observer, of, kinds: () => seen.map(([kind]) => kind) }
}

const session = '00000000-0000-4000-8000-000000000000'

function open(replies: readonly ScriptedReply[], options: Partial<HandlerOptions> = {}) {
  const recorder = createRecorder()
  const model = createScriptedModel(replies)
  const handler = createHandler({
    agents: { miller: createAgent({ name: 'miller', model, tools: [confirm] }) },
    defaultAgent: 'miller',
    store: createMemoryStore(),
    observers: [recorder.observer],
    ...options,
  })
  handlers.push(handler)
  const post = (path: string, body: object): Promise<Response> =>
    handler.fetch(
      new Request(`http://localhost${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    )
  const ask = () => post('/agent/run', { agent_uuid: session, user_prompt: 'go' })
  return { handler, recorder, post, ask }
}

const whole = (response: Promise<Response>): Promise<string> =>
  response.then((stream) => stream.text())

describe('an observer of a server', () => {
  test('gets the start and the end of a run once', async () => {
    const { recorder, ask } = open([{ content: [text('flour')] }])
    await whole(ask())
    await expect.poll(() => recorder.of('runEnded')).toHaveLength(1)
    const about = { session, agentType: 'miller', run: 1, isRecovered: false }
    expect(recorder.of('runStarted')).toEqual([{ ...about, prompt: 'go' }])
    const end = { stopReason: 'end_turn', steps: 1, answer: 'flour' }
    expect(recorder.of('runEnded')).toEqual([
      { ...about, ...end, durationMs: expect.any(Number), usage: expect.anything() },
    ])
  })

  test('gets the error of a failed run', async () => {
    const failure = { type: 'authentication_error', message: 'no', retriable: false }
    const { recorder, ask } = open([{ outcome: 'failed', failure }])
    await whole(ask())
    await expect.poll(() => recorder.of('runEnded')).toHaveLength(1)
    expect(recorder.of('runEnded')).toMatchObject([
      { stopReason: 'error', error: { ...failure, code: 'model_failed' } },
    ])
  })

  test('gets the time before and after a pause as two parts of one run', async () => {
    const { recorder, ask, post } = open([{ content: [call('c1', 'confirm')] }])
    await whole(ask())
    const tool_results = [{ tool_use_id: 'c1', content: 'yes' }]
    await whole(post('/agent/tool_results', { agent_uuid: session, tool_results }))
    await expect.poll(() => recorder.of('runEnded')).toHaveLength(2)
    expect(recorder.of('runStarted')).toMatchObject([{ run: 1, prompt: 'go' }, { run: 1 }])
    expect(recorder.of('runStarted')[1]).not.toHaveProperty('prompt')
    expect(recorder.of('runEnded').map(({ stopReason }) => stopReason)).toEqual([
      'awaiting_frontend_tools',
      'end_turn',
    ])
  })

  test('gets every append and every reader', async () => {
    const { recorder, ask } = open([{ content: [text('flour')] }])
    const stream = await whole(ask())
    const ids = [...stream.matchAll(/^id: (\d+)$/gm)]
    const appended = recorder.of('appended')
    const sum = (field: string) =>
      appended.reduce((total, about) => total + Number(about[field]), 0)
    expect(sum('lines')).toBe(ids.length)
    const data = [...stream.matchAll(/^data: (\{.*\})$/gm)].map(([, line = '']) => line)
    expect(sum('bytes')).toBe(new TextEncoder().encode(data.join('')).length)
    expect(recorder.of('readerOpened')).toEqual([{ session }])
    expect(recorder.of('readerClosed')).toEqual([{ session, durationMs: expect.any(Number) }])
  })

  test('gets runs that were handed off or lost', async () => {
    const hanging = [{ content: [text('flour')], hangs: 'until_aborted' }] as const
    const durable: Store = { ...createMemoryStore(), isDurable: true }
    const left = open(hanging, { store: durable })
    await (await left.ask()).body?.cancel()
    await left.handler.close()
    expect(left.recorder.of('runEnded')).toMatchObject([{ stopReason: 'handed_over' }])

    const next = open([{ content: [text('bread')] }], { store: durable })
    expect(await next.handler.recover()).toEqual([session])
    await expect.poll(() => next.recorder.of('runEnded')).toHaveLength(1)
    expect(next.recorder.of('runStarted')).toMatchObject([{ isRecovered: true }])
    expect(next.recorder.of('runEnded')).toMatchObject([
      { isRecovered: true, stopReason: 'end_turn' },
    ])

    const memory = createMemoryStore()
    let appends = 0
    const broken: Store = {
      ...memory,
      append: async (append) => {
        if (appends++ > 0) throw new Error('full')
        return memory.append(append)
      },
    }
    const lost = open([{ content: [text('flour')] }], { store: broken, onError: () => {} })
    await (await lost.ask()).body?.cancel()
    await expect.poll(() => lost.recorder.of('runEnded')).toMatchObject([{ stopReason: 'lost' }])
  })

  test('that throws affects nothing, and errors name their session', async () => {
    const errors: unknown[] = []
    const about: unknown[] = []
    const fault = new Error('broken observer')
    const observers = [
      {
        runStarted: () => {
          throw fault
        },
      },
    ]
    const model = createScriptedModel([{ throws: new Error('broken model') }])
    const throwing = {
      ...createAgent({ name: 'miller', model }),
      run(): never {
        throw new Error('broken agent')
      },
    }
    const { ask } = open([], {
      agents: { miller: throwing },
      observers,
      onError: (error, place) => {
        errors.push(error)
        about.push(place)
      },
    })
    expect(await whole(ask())).toContain('[DONE]')
    expect(errors).toEqual([fault, new Error('broken agent')])
    expect(about).toEqual([undefined, { session }])
  })
})
