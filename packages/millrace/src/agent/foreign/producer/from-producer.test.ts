import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import {
  eventsIn,
  type ForeignServer,
  openServer,
  session,
} from '../../../../test/support/foreign/foreign-server.ts'
import { openProducer, sendEvents } from '../../../../test/support/foreign/test-producer.ts'
import { createLosable } from '../../../../test/support/stores/losable-store.ts'
import { runs } from '../../../../test/support/runs.ts'
import { createMemoryStore } from '../../../stores/memory/index.ts'
import type { Store } from '../../../stores/port/index.ts'
import type { LoopEvent } from '../loop-event.ts'
import { fromProducer } from './from-producer.ts'

const servers: ForeignServer[] = []

afterEach(async () => {
  await Promise.all(servers.splice(0).map(({ handler }) => handler.close()))
})

function open(...given: Parameters<typeof openServer>): ForeignServer {
  const server = openServer(...given)
  servers.push(server)
  return server
}

const begin = async ({ handler }: ForeignServer): Promise<void> => {
  const headers = { 'content-type': 'application/json', prefer: 'respond-async' }
  const body = JSON.stringify({ agent_uuid: session, user_prompt: 'go' })
  await handler.fetch(new Request('http://localhost/agent/run', { method: 'POST', headers, body }))
}

async function untilEnded({ view }: ForeignServer, reason: string): Promise<void> {
  await expect.poll(async () => (await view()).stop_reason, { timeout: 5_000 }).toBe(reason)
}

describe('an agent whose runs are produced elsewhere', () => {
  test('[PROD-4] ends a run whose producer is silent', async () => {
    const store = createMemoryStore()
    const server = open(fromProducer({ name: 'far', timeoutMs: 20 }), store)
    await begin(server)
    await untilEnded(server, 'error')
    expect(await eventsIn(store)).toContainEqual(
      expect.objectContaining({ type: 'error', code: 'producer_lost', retriable: true }),
    )
  })

  test('starts the job of each run with its session and context; if that fails, so does the run', async () => {
    const started: unknown[] = []
    const start = (run: object): void => {
      started.push(run)
      throw new Error('no worker')
    }
    const errors: unknown[] = []
    const onError = (error: unknown): void => void errors.push(error)
    const server = open(fromProducer({ name: 'far', start }), createMemoryStore(), { onError })
    await begin(server)
    await untilEnded(server, 'error')
    expect(started).toEqual([{ session, runId: expect.any(String), context: undefined }])
    expect(errors).toMatchObject([{ message: 'no worker' }])
  })

  test('passes a message that comes too late to the next run', async () => {
    const server = open(fromProducer({ name: 'far' }))
    await begin(server)
    const { append } = await openProducer(server.handler)
    await append({ type: 'text', text: 'One' })
    await server.post(`${session}/steer`, { user_prompt: 'more' })
    await append({ type: 'end', stopReason: 'end_turn' })
    await expect
      .poll(async () => (await openProducer(server.handler)).opened, { timeout: 5_000 })
      .toMatchObject({ status: 200, prompt: 'more', next: 0 })
  })

  test('reports a wrong option', () => {
    expect(() => fromProducer({ name: 'far', timeoutMs: 0 })).toThrow(/`timeoutMs`/)
    expect(() => fromProducer({ name: '' })).toThrow(/`name`/)
  })
})

/** The work of a producer: steps with texts, thoughts, and calls whose arguments and results overlap. */
const anyWork = fc
  .array(fc.constantFrom('text', 'thinking', 'call', 'calls', 'step', 'steer'), { maxLength: 12 })
  .map((kinds) => [
    ...kinds.flatMap((kind, index) => toEvents(kind, `${index}`)),
    { type: 'end', stopReason: 'end_turn' } as const,
  ])

function toEvents(kind: string, name: string): LoopEvent[] {
  const call = (callId: string) => ({ type: 'tool_call', callId, name: 'dig', input: {} }) as const
  const result = (callId: string) => ({ type: 'tool_result', callId, text: `<${callId}>` }) as const
  const growing = { type: 'tool_input', callId: `b${name}`, name: 'dig', text: '{' } as const
  const grown = { ...growing, text: '"deep":1}' }
  if (kind === 'text')
    return [
      { type: 'text', text: `${name} ` },
      { type: 'text', text: `${name}. ` },
    ]
  if (kind === 'thinking') return [{ type: 'thinking', text: `hm ${name}`, signature: 's' }]
  if (kind === 'call')
    return [
      call(`a${name}`),
      { type: 'tool_progress', callId: `a${name}`, text: 'deep' },
      result(`a${name}`),
    ]
  // The first result comes while the arguments of the second call are written.
  if (kind === 'calls')
    return [
      call(`a${name}`),
      growing,
      result(`a${name}`),
      grown,
      call(`b${name}`),
      result(`b${name}`),
    ]
  return [{ type: 'step_end', usage: { input_tokens: 1, output_tokens: 1 } }]
}

/** Plays the work on a server that dies before some events, each time between an append and its reply. */
async function play(work: readonly LoopEvent[], deaths: ReadonlySet<number>): Promise<Store> {
  const shared: Store = { ...createMemoryStore(), isDurable: true, send: async () => {} }
  let held = createLosable(shared)
  let server = openServer(fromProducer({ name: 'far' }), held)
  await begin(server)
  const { epoch } = await openProducer(server.handler)
  for (const [seq, event] of work.entries()) {
    const body = { epoch, seq, events: [event] }
    expect(await sendEvents(server.handler, body)).toMatchObject({ status: 200, next: seq + 1 })
    if (!deaths.has(seq)) continue
    held.lose()
    const { epoch: stored = 0 } = (await shared.info(session)) ?? {}
    await shared.renew(session, stored, { owner: 'dead', ms: 0 })
    held = createLosable(shared)
    server = openServer(fromProducer({ name: 'far' }), held)
    expect(await sendEvents(server.handler, body)).toMatchObject({ status: 200, next: seq + 1 })
  }
  return { ...shared, close: () => server.handler.close() }
}

/** The messages and the usage of the run, and the settled content of its stream. */
async function outcomeOf(store: Store) {
  const server = openServer(fromProducer({ name: 'far' }), store)
  const { conversations } = await server.view('/conversations')
  const url = `http://localhost/agent/${session}/stream?settled=1&compact=1`
  const stream = await (await server.handler.fetch(new Request(url))).text()
  const texts = [
    ...stream.matchAll(/^data: (\{"type":"(?:text|tool_result|thinking|tool_call)".*)$/gm),
  ]
  const joined = texts.map(([, line = '']) => {
    const { type, delta } = JSON.parse(line)
    return `${type}:${delta}`
  })
  const { final_response, messages, usage, total_steps } = (conversations?.[0] ?? {}) as Record<
    string,
    unknown
  >
  await server.handler.close()
  const content = joined
    .join('')
    .replaceAll(/(?<=^|\w+:[^:]*)(text|thinking|tool_result|tool_call):/g, '')
  return { final_response, messages, usage, total_steps, content }
}

test('[PROD-2] [PROD-4] a run has the same content, messages and usage, however often its server dies', async () => {
  await fc.assert(
    fc.asyncProperty(anyWork, fc.array(fc.nat(), { maxLength: 4 }), async (work, places) => {
      const deaths = new Set(places.map((place) => place % work.length))
      const [whole, killed] = [await play(work, new Set()), await play(work, deaths)]
      expect(await outcomeOf(killed)).toEqual(await outcomeOf(whole))
      await Promise.all([whole.close(), killed.close()])
    }),
    { numRuns: runs(25, 500) },
  )
})
