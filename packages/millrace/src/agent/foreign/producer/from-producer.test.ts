import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import {
  eventsIn,
  type ForeignServer,
  openServer,
  said,
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

const call = (callId: string) => ({ type: 'tool_call', callId, name: 'dig', input: {} }) as const
const result = (callId: string) => ({ type: 'tool_result', callId, text: `<${callId}>` }) as const

/** The events of a step or of a part of it. */
const kinds: Readonly<Record<string, (name: string) => readonly LoopEvent[]>> = {
  text: (name) => [
    { type: 'text', text: `${name} ` },
    { type: 'text', text: `${name}. ` },
  ],
  thinking: (name) => [{ type: 'thinking', text: `hm ${name}`, signature: 's' }],
  call: (name) => [
    call(`a${name}`),
    { type: 'tool_progress', callId: `a${name}`, text: 'deep' },
    result(`a${name}`),
  ],
  // The first result comes while the arguments of the second call are written.
  calls: (name) => [
    call(`a${name}`),
    { type: 'tool_input', callId: `b${name}`, name: 'dig', text: '{' },
    result(`a${name}`),
    { type: 'tool_input', callId: `b${name}`, name: 'dig', text: '"deep":1}' },
    call(`b${name}`),
    result(`b${name}`),
  ],
  step: () => [{ type: 'step_end', usage: { input_tokens: 1, output_tokens: 1 } }],
}

const ends: readonly (readonly LoopEvent[])[] = [
  [{ type: 'end', stopReason: 'end_turn' }],
  [{ type: 'error', message: 'no more' }],
  [call('p'), { type: 'awaiting_approval', calls: ['p'] }],
  [
    call('p'),
    call('q'),
    call('r'),
    { type: 'awaiting_approval', calls: ['p'] },
    { type: 'awaiting_frontend_tools', calls: ['q'] },
  ],
]

/** The work of a producer, in batches. */
const anyWork = fc
  .tuple(
    fc.array(fc.constantFrom(...Object.keys(kinds)), { maxLength: 10 }),
    fc.constantFrom(...ends),
    fc.integer({ min: 1, max: 5 }),
  )
  .map(([names, end, size]) => {
    const events = names.flatMap((name, index) => kinds[name]?.(`${index}`) ?? [])
    const batches = Array.from({ length: Math.ceil(events.length / size) }, (_, index) => ({
      seq: index * size,
      events: events.slice(index * size, (index + 1) * size),
    }))
    // The run pauses at the end of the first batch with a wait.
    return [...batches, { seq: events.length, events: end }]
  })

/** The number of appends after which a server dies, and whether the last one is stored. */
interface Death {
  readonly after: number
  readonly isStored: boolean
}

/** A server that dies with one of its appends; `dead` then resolves. */
function startMortal(shared: Store, death: Death | undefined) {
  let left = death?.after ?? Infinity
  let die = (): void => {}
  const dead = new Promise<undefined>((resolve) => {
    die = () => resolve(undefined)
  })
  const held = createLosable({
    ...shared,
    append: async (append) => {
      left -= 1
      if (left > 0) return shared.append(append)
      if (death?.isStored === true) await shared.append(append)
      held.lose()
      die()
      return new Promise<never>(() => {})
    },
  })
  return { server: openServer(fromProducer({ name: 'far' }), held), dead }
}

/** Plays the work on servers that die, and returns the settled content, the messages and the state of the run. */
async function play(
  work: readonly { seq: number; events: readonly LoopEvent[] }[],
  deaths: readonly Death[],
) {
  const shared: Store = { ...createMemoryStore(), isDurable: true, send: async () => {} }
  await begin(openServer(fromProducer({ name: 'far' }), shared))
  const release = async (): Promise<void> => {
    const { epoch = 0 } = (await shared.info(session)) ?? {}
    await shared.renew(session, epoch, { owner: 'dead', ms: 0 }).catch(() => {})
  }
  const left = [...deaths]
  let mortal = startMortal(shared, undefined)
  const revive = async (): Promise<void> => {
    await release()
    mortal = startMortal(shared, left.shift())
  }
  const send = async (body: object) => {
    for (;;) {
      const reply = await Promise.race([sendEvents(mortal.server.handler, body), mortal.dead])
      if (reply !== undefined) return reply
      await revive()
    }
  }
  await revive()
  const { epoch } = await send({})
  for (const { seq, events } of work) {
    const reply = await send({ epoch, seq, events })
    expect(reply).toEqual({ status: 200, epoch, next: seq + events.length })
  }
  await release()
  return outcomeOf(shared)
}

/** Reads the history, the state and the settled stream of a run. */
async function outcomeOf(store: Store) {
  const server = openServer(fromProducer({ name: 'far' }), store)
  const { conversations } = await server.view('/conversations')
  const { stop_reason, pending, pending_approvals } = await server.view()
  const url = `http://localhost/agent/${session}/stream?settled=1`
  const stream = await (await server.handler.fetch(new Request(url))).text()
  await server.handler.close()
  const waits = [...(pending ?? []), ...(pending_approvals ?? [])].map((one) => one.tool_use_id)
  const list: readonly Readonly<Record<string, unknown>>[] = conversations ?? []
  const { final_response, messages, usage, total_steps } = list[0] ?? {}
  const run = { final_response, messages, usage, total_steps }
  return { run, stop_reason, waits, content: said(stream) }
}

const anyDeath = fc.record({ after: fc.integer({ min: 1, max: 12 }), isStored: fc.boolean() })

test('[PROD-2] [PROD-4] a run has the same content, messages and usage, at any append at which its servers die', async () => {
  await fc.assert(
    fc.asyncProperty(anyWork, fc.array(anyDeath, { maxLength: 5 }), async (work, deaths) => {
      expect(await play(work, deaths)).toEqual(await play(work, []))
    }),
    { numRuns: runs(40, 1000) },
  )
})
