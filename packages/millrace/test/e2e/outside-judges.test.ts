import { spawnSync } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { EventSource } from 'eventsource'
import type { Pace, Scenario } from 'millrace-tools/emulator'
import { decodeEnvelope } from '../../src/events/index.ts'
import { DONE_FRAME } from '../../src/sse/index.ts'
import { createSqliteStore } from '../../src/stores/sqlite/index.ts'
import { createMemoryStore } from '../../src/stores/memory/index.ts'
import { type Cut, type CuttingProxy, startCuttingProxy } from '../support/network/cutting-proxy.ts'
import { createTestClient } from '../support/servers/test-client.ts'
import { createTestServers, endlessPace } from '../support/servers/test-servers.ts'
import { type TestServer, openTestServer } from '../support/servers/test-server.ts'
import { type Logged, readLogged } from '../support/frames/logged.ts'
import {
  type AdapterReading,
  readByCurl,
  readByEventSource,
  readByTanStack,
} from '../support/protocols/outside-readers.ts'
import { runs } from '../support/runs.ts'
import { temporaryPaths } from '../support/stores/sqlite/temporary-store.ts'

const words = ['mill ', 'räd\n', '水車 ', '🎡', '"quo\\ted" ', '[DONE]', 'data: id: 7\n\n', ' ']

/** Short words, some of which look like framing, and a delta that fills several frames. */
const tale: Scenario = {
  name: 'tale',
  summary: 'many words',
  matches: () => true,
  reply: () => ({
    blocks: [
      {
        type: 'text',
        text: [
          ...Array.from({ length: 100 }, (_, n) => `${n} ${words[n % words.length]}`),
          'grain 🌾 '.repeat(600),
          ...Array.from({ length: 60 }, (_, n) => words[n % words.length] ?? ''),
        ],
      },
    ],
  }),
}

/** A run of this pace lasts for some seconds, so that a client that reconnects a second later still finds it active. */
const leisurely: Pace = { tokensPerSecond: 60, firstTokenMs: 5, jitter: 0 }

const nextPath = temporaryPaths()
const testServers = createTestServers()
afterEach(testServers.close)

/** Reads through a proxy that is closed afterwards. */
async function through<T>(
  url: string,
  cuts: readonly Cut[],
  read: (proxy: CuttingProxy) => Promise<T>,
): Promise<T> {
  const proxy = await startCuttingProxy(url, cuts)
  try {
    return await read(proxy)
  } finally {
    await proxy.close()
  }
}

/** Starts a run without a reader. */
async function startRun(url: string, session: string = crypto.randomUUID()): Promise<string> {
  const body = { agent_uuid: session, user_prompt: 'go' }
  const response = await createTestClient(url).post('/agent/run', body)
  expect(response.status).toBe(200)
  await response.body?.cancel()
  return session
}

/** A run from its beginning to its end. */
async function playRun(url: string, session?: string): Promise<string> {
  const id = await startRun(url, session)
  expect((await createTestClient(url).watch(id)).isDone).toBe(true)
  return id
}

const pathOf = (session: string, query = 'compact=0'): string => `/agent/${session}/stream?${query}`

/** Checks frames of which some may represent several of the log: none is missing or repeated. [LOG-5] */
function expectMerged(messages: readonly Logged[], log: readonly Logged[]): void {
  let last = 0
  for (const { id, data } of messages) {
    const { span = 1, ...message } = decodeEnvelope(data)
    expect(Number(id) - span).toBe(last)
    const parts = log.slice(last, Number(id)).map((one) => decodeEnvelope(one.data))
    expect({ ...message }).toEqual({ ...parts.at(-1), delta: parts.map((p) => p.delta).join('') })
    last = Number(id)
  }
  expect(last).toBe(log.length)
}

/** Checks the output of TanStack's adapter: each frame once, its own end after them, and each reconnection after the last of them. */
function expectWhole({ chunks, returns }: AdapterReading, written: readonly Logged[]): void {
  const end = expect.objectContaining({ type: 'RUN_FINISHED' })
  expect(chunks).toEqual([...written.map(({ data }) => JSON.parse(data) as unknown), end])
  for (const one of returns) expect(one.lastEventId).toBe(one.chunks)
}

/** The bytes of a stream after an id, according to the protocol. [SSE-2] [SSE-4] [SSE-5] */
function toStreamText(log: readonly Logged[], after = 0): string {
  const frames = log.slice(after).map(({ id, data }) => `id: ${id}\ndata: ${data}\n\n`)
  return `retry: 1000\n\n${frames.join('')}${DONE_FRAME}`
}

/** A server whose run has ended, for repeated reads. */
let server: TestServer
let session: string
let log: Logged[]

beforeAll(async () => {
  const store = createMemoryStore()
  server = await openTestServer({ scenarios: [tale], store })
  session = await playRun(server.url)
  log = await readLogged(store, session)
})

afterAll(() => server.close())

/** The positions at which the stream of an ended run is cut: at intervals, and at each of the last bytes. */
function cutPlaces(step: number): number[] {
  const total = Buffer.byteLength(toStreamText(log))
  const first = Buffer.byteLength(toStreamText(log.slice(0, 1))) - DONE_FRAME.length
  const places = Array.from({ length: Math.ceil(total / step) }, (_, n) => first + n * step)
  return [...places.filter((place) => place < total - 40), ...lastPlaces(total)]
}

const lastPlaces = (total: number): number[] => Array.from({ length: 40 }, (_, n) => total - 40 + n)

describe('npm eventsource', () => {
  const manners = ['break', 'end'] as const

  test('[LOG-3] reads an active run through any cuts, completely, and [SSE-9] stops at its end', async () => {
    const store = createMemoryStore()
    const live = await testServers.open({ scenarios: [tale], store, pace: leisurely })
    const id = await startRun(live.url)
    const readers = Array.from({ length: runs(48, 400) }, async (_, n) => {
      const cuts = [n * 41, n * 17 + 1, n * 149].map((after, m) => ({
        after,
        manner: manners[(n + m) % 2] ?? 'break',
      }))
      const query = n % 4 === 0 ? '' : 'compact=0'
      return through(live.url, cuts.slice(0, (n % 3) + 1), async ({ url, passed }) => {
        const reading = await readByEventSource(url + pathOf(id, query))
        return { ...reading, query, last: passed.at(-1) }
      })
    })
    const readings = await Promise.all(readers)
    const written = await readLogged(store, id)
    for (const { query, last, messages, status } of readings) {
      if (query === '') expectMerged(messages, written)
      else expect(messages).toEqual(written)
      expect(status).toBe(204)
      expect(last?.lastEventId).toBe(String(written.length))
    }
    expect(live.errors).toEqual([])
  })

  test('[LOG-3] reads a completed run through a cut at each of its last bytes', async () => {
    const places = lastPlaces(Buffer.byteLength(toStreamText(log)))
    const read = (after: number, manner: Cut['manner']) =>
      through(server.url, [{ after, manner }], ({ url }) =>
        readByEventSource(url + pathOf(session)),
      )
    const readings = await Promise.all(
      places.flatMap((after) => manners.map((manner) => read(after, manner))),
    )
    for (const { messages, dones, status } of readings) {
      expect(messages).toEqual(log)
      expect(dones).toBeLessThan(2)
      expect(status).toBe(204)
    }
  })

  test('[SSE-9] with follow=1 stays after the end, through cuts, for the next run', async () => {
    const store = createMemoryStore()
    const live = await testServers.open({ scenarios: [tale], store })
    const id = await playRun(live.url)
    const before = await readLogged(store, id)
    const whole = Buffer.byteLength(toStreamText(before)) - DONE_FRAME.length
    const cuts: Cut[] = [
      { after: whole, manner: 'break' },
      { after: 20, manner: 'end' },
    ]
    await through(live.url, cuts, async ({ url, passed }) => {
      const source = new EventSource(url + pathOf(id, 'compact=0&follow=1'))
      const messages: Logged[] = []
      source.addEventListener('message', ({ lastEventId, data }: MessageEvent<string>) => {
        messages.push({ id: lastEventId, data })
      })
      // It has reconnected after all frames, and waits.
      await expect.poll(() => passed[1]?.status, { timeout: 10_000 }).toBe(200)
      await playRun(live.url, id)
      const written = await readLogged(store, id)
      await expect.poll(() => messages.length, { timeout: 10_000 }).toBe(written.length)
      source.close()
      expect(messages).toEqual(written)
      expect(passed.map(({ status }) => status)).toEqual([200, 200, 200])
    })
  })
})

describe("TanStack's adapter", () => {
  test('[LOG-3] joins a completed run, and reads it completely through a cut anywhere', async () => {
    for (const after of cutPlaces(runs(211, 7))) {
      await through(server.url, [{ after, manner: 'end' }], async ({ url }) => {
        expectWhole(await readByTanStack(url + pathOf(session)), log)
      })
    }
  })

  /**
   * The first cut is after an id, without which it does not reconnect. A body that ends normally has new content each time, without which it stops.
   */
  const cutsOf = (first: number) =>
    fc.tuple(
      fc.record({ after: fc.integer({ min: first, max: 12_000 }), manner: fc.constant('end') }),
      fc.array(
        fc.oneof(
          fc.record({ after: fc.nat(6_000), manner: fc.constant('break') }),
          fc.record({ after: fc.integer({ min: 2_200, max: 6_000 }), manner: fc.constant('end') }),
        ),
        { maxLength: 8 },
      ),
    ) as fc.Arbitrary<[Cut, Cut[]]>

  test('[LOG-3] reads a completed run completely through any number of cuts', async () => {
    const [first = 0] = cutPlaces(1_000)
    await fc.assert(
      fc.asyncProperty(cutsOf(first), async ([one, others]) => {
        await through(server.url, [one, ...others], async ({ url, passed }) => {
          const reading = await readByTanStack(url + pathOf(session))
          expectWhole(reading, log)
          expect(reading.returns.length).toBe(passed.length - 1)
        })
      }),
      { numRuns: runs(60, 2_000) },
    )
  })

  test('[LOG-3] sends a prompt, and reads the run during its progress, completely through cuts', async () => {
    const store = createMemoryStore()
    const live = await testServers.open({ scenarios: [tale], store, pace: leisurely })
    const read = async (n: number) => {
      const cuts = [3_000, 40 * n, 700, 2_300].map((after, m): Cut => {
        return { after, manner: m % 3 === 0 ? 'end' : 'break' }
      })
      const agent_uuid = crypto.randomUUID()
      await through(live.url, cuts, async (proxy) => {
        // The setup of an application: its own body for our route, and the stream of the session for reconnections.
        const connectBy: typeof fetch = (url, init) => {
          const headers = new Headers(init?.headers)
          if (headers.has('last-event-id'))
            return fetch(proxy.url + pathOf(agent_uuid), { headers })
          return fetch(url, { ...init, body: JSON.stringify({ agent_uuid, user_prompt: 'go' }) })
        }
        const reading = await readByTanStack(`${proxy.url}/agent/run?compact=0`, connectBy)
        expectWhole(reading, await readLogged(store, agent_uuid))
        expect(reading.returns.length).toBeGreaterThan(2)
      })
    }
    await Promise.all(Array.from({ length: 10 }, (_, n) => read(n)))
    expect(live.errors).toEqual([])
  })
})

const hasCurl = spawnSync('curl', ['--version']).status === 0
if (!hasCurl) console.warn('curl was not found: its tests of resuming are skipped.')

/** The complete frames of a part of a stream; an incomplete end is dropped. [SSE-6] */
function toFrames(text: string): string {
  const end = text.lastIndexOf('\n\n')
  return end < 0 ? '' : text.slice(0, end + 2).replace(/^retry: 1000\n\n/, '')
}

const lastIdOf = (frames: string): string => [...frames.matchAll(/^id: (\d+)$/gm)].at(-1)?.[1] ?? ''

/** Reads to the end with as many calls of curl as needed, each after the last id of the one before. */
async function readWithCurl(url: string, ...options: readonly string[]): Promise<string> {
  let frames = ''
  for (let call = 0; !frames.endsWith(`\n\n${DONE_FRAME}`); call++) {
    if (call > 1_000) throw new Error('curl got nowhere.')
    const last = lastIdOf(frames)
    const byHeader = ['--header', `Last-Event-ID: ${last}`]
    const { text, code } = await (call % 2 === 1 && last !== ''
      ? readByCurl(url, ...options, ...byHeader)
      : readByCurl(`${url}&cursor=${last}`, ...options))
    // Whole, refused, cut short, out of time, no answer, reset.
    expect([0, 7, 18, 28, 52, 56]).toContain(code)
    if (code === 7 || code === 52) await sleep(20)
    frames += toFrames(text)
  }
  return `retry: 1000\n\n${frames}`
}

describe.skipIf(!hasCurl)('curl', () => {
  test.each([
    ['Last-Event-ID', (last: string) => ['', '--header', `Last-Event-ID: ${last}`]],
    ['?cursor=', (last: string) => [`&cursor=${last}`]],
    // The header takes precedence.
    ['both', (last: string) => ['&cursor=1', '--header', `Last-Event-ID: ${last}`]],
  ] as const)('[LOG-3] two parts of a stream are the complete stream, by %s', async (_, resume) => {
    for (const after of cutPlaces(runs(2_003, 101)).filter((__, n) => n % 3 === 0)) {
      await through(server.url, [{ after, manner: 'break' }], async (proxy) => {
        const url = proxy.url + pathOf(session)
        const begun = await readByCurl(url)
        expect(begun.code).toBe(18)
        const frames = toFrames(begun.text)
        const [query = '', ...options] = resume(lastIdOf(frames))
        const rest = await readByCurl(url + query, ...options)
        expect(rest).toEqual({ text: toStreamText(log, Number(lastIdOf(frames))), code: 0 })
        expect(`retry: 1000\n\n${frames}${toFrames(rest.text)}`).toBe(toStreamText(log))
      })
    }
  })

  test('[LOG-3] parts of an active run, as many as fit in its time, are the complete stream', async () => {
    const store = createMemoryStore()
    const live = await testServers.open({ scenarios: [tale], store, pace: leisurely })
    const id = await startRun(live.url)
    const pieces = ['0.05', '0.1', '0.3'].map((seconds) =>
      readWithCurl(live.url + pathOf(id), '--max-time', seconds),
    )
    const texts = await Promise.all(pieces)
    const expected = toStreamText(await readLogged(store, id))
    for (const text of texts) expect(text).toBe(expected)
  })
})

test('[LOG-2] a server that is restarted in the middle of a run gives each of them the complete log', async () => {
  const path = nextPath()
  const open = async (pace: Pace | 'instant') => {
    const store = createSqliteStore({ path })
    const life = await testServers.open({ scenarios: [tale], store, pace, recovers: true })
    return { store, ...life }
  }
  const first = await open(endlessPace)
  const id = await startRun(first.url)
  await through(first.url, [], async (proxy) => {
    const url = proxy.url + pathOf(id)
    const readings = Promise.all([
      readByEventSource(url),
      readByTanStack(url),
      hasCurl ? readWithCurl(url) : undefined,
    ])
    const tail = async () => (await first.store.info(id))?.tail
    await expect.poll(tail, { timeout: 20_000 }).toBeGreaterThan(30)
    await first.close()
    await first.store.close()
    const { store, ...second } = await open('instant')
    proxy.lead(second.url)
    const [source, adapter, text] = await readings
    const written = await readLogged(store, id)
    expect((await store.info(id))?.epoch).toBe(2)
    expect(written.filter(({ data }) => data.startsWith('{"type":"rollback"'))).toHaveLength(1)
    expect(source).toEqual({ messages: written, dones: 1, status: 204 })
    expectWhole(adapter, written)
    if (text !== undefined) expect(text).toBe(toStreamText(written))
    await second.close()
    await store.close()
  })
})
