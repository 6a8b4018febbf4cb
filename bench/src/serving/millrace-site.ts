import type { Agent } from 'millrace/agent'
import { serve } from 'millrace/node'
import { createHandler, createMemoryStore, type Store } from 'millrace/server'
import { createPostgresStore } from 'millrace/postgres'
import { createRedisStore } from 'millrace/redis'
import { createSqliteStore } from 'millrace/sqlite'
import type { StoreAddress } from '../servers/index.ts'
import { processUsage, watchHeldBytes, watchMemory } from './process-usage.ts'
import { type Load, nextDelta, type Site } from './site.ts'

const usage = { input_tokens: 0, output_tokens: 0 }
const content = { type: 'text', text: '' }
const MAX_MESSAGES = 2_000_000
const APPEND_LINES = 500
/** A block ends after this many frames, as in answers. */
const BLOCK_LENGTH = 1_000
const PIECE = 'thirty characters of an answer'

/** Our server, with an agent that emits the same text at a given pace; sessions in the store at an address. */
export function createMillraceSite(address: StoreAddress): Site {
  const store = createStore(address)
  const pace = createPace()
  const agents = { talker: createTalker(pace) }
  const limits = { maxReaders: 100_000, stallTimeoutMs: 600_000, maxActiveRuns: 10_000 }
  const handler = createHandler({ agents, defaultAgent: 'talker', store, limits })
  const held = watchHeldBytes()
  const paths = new Map<string, string>()

  const ask = async (session: string): Promise<string> => {
    const response = await handler.fetch(
      new Request('http://localhost/agent/run', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ agent_uuid: session, user_prompt: 'go' }),
      }),
    )
    await response.body?.cancel()
    return `/agent/${session}/stream`
  }

  return {
    listen: async () => (await serve({ handler, port: 0 })).port,
    start: async (load: Load) => {
      pace.perSecond = load.perSecond
      for (let count = 0; count < load.runs; count++) {
        const session = crypto.randomUUID()
        // Each frame is counted, including those from before a reader connected.
        paths.set(session, `${await ask(session)}?compact=0`)
      }
      return [...paths.values()]
    },
    stop: async () => {
      pace.stop()
      while (handler.activity().runs > 0) await new Promise(setImmediate)
      let messages = 0
      for (const session of paths.keys()) messages += (await store.info(session))?.tail ?? 0
      return messages
    },
    fill: async (messages) => {
      watchMemory()
      pace.stop()
      const session = crypto.randomUUID()
      const path = await ask(session)
      while (handler.activity().runs > 0) await new Promise(setImmediate)
      await fill(store, session, messages)
      return path
    },
    held: async () => held(),
    usage: async (collects) => processUsage(pace.events, collects),
  }
}

function createStore(address: StoreAddress): Store {
  const maxMessagesPerSession = MAX_MESSAGES
  const [kind, rest = ''] = address.split(/:(.*)/)
  if (kind === 'sqlite') return createSqliteStore({ path: rest, maxMessagesPerSession })
  if (kind === 'postgres') return createPostgresStore({ url: address, maxMessagesPerSession })
  if (kind === 'memory') return createMemoryStore({ maxMessagesPerSession, maxSessions: 10_000 })
  return createRedisStore({ url: address, maxMessagesPerSession })
}

async function fill(store: Store, session: string, messages: number): Promise<void> {
  const encoder = new TextEncoder()
  const { epoch, tail: start } = await store.open(session)
  for (let tail = start; tail < messages;) {
    const count = Math.min(APPEND_LINES, messages - tail)
    const lines = Array.from({ length: count }, (_, index) => {
      const final = (tail + index) % BLOCK_LENGTH === 0
      const envelope = { type: 'text', agent: session, final, delta: final ? '' : PIECE }
      return encoder.encode(JSON.stringify(envelope))
    })
    tail = (await store.append({ session, epoch, tail, lines })).tail
  }
}

/** The pace of agents, the number of their emitted frames, and whether they stop. */
interface Pace {
  perSecond: number
  events: number
  isStopped: boolean
  readonly onStop: (() => void)[]
  stop(): void
}

function createPace(): Pace {
  const onStop: (() => void)[] = []
  const pace: Pace = {
    perSecond: 0,
    events: 0,
    isStopped: false,
    onStop,
    stop: () => {
      pace.isStopped = true
      for (const wake of onStop) wake()
    },
  }
  return pace
}

function createTalker(pace: Pace): Agent {
  return {
    name: 'talker',
    async *run({ agent }) {
      yield { type: 'run_start', agent, runId: 'r', prompt: 'go', model: 'm', messages: [] }
      yield { type: 'block_start', agent, block: 0, kind: 'text', content }
      const beat = startBeat(pace)
      try {
        while (!pace.isStopped) {
          await beat.next()
          if (pace.isStopped) break
          pace.events++
          yield { type: 'block_delta', agent, block: 0, text: nextDelta() }
        }
      } finally {
        beat.stop()
      }
      yield { type: 'block_end', agent, block: 0, kind: 'text', content }
      const end = { stopReason: 'end_turn', steps: 1, usage, messages: [], files: [] }
      yield { type: 'run_end', agent, ...end }
    },
  }
}

/** Signals a run when to emit, until it is stopped; at a pace of 0, only the stop. */
function startBeat(pace: Pace): { next(): Promise<void>; stop(): void } {
  const { perSecond } = pace
  let wake = (): void => {}
  pace.onStop.push(() => wake())
  const timer = perSecond > 0 ? setInterval(() => wake(), 1000 / perSecond) : undefined
  return {
    next: () => new Promise((resolve) => (wake = resolve)),
    stop: () => clearInterval(timer),
  }
}
