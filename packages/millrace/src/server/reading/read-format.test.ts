import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { LogFormat } from '../../protocols/port/index.ts'
import { encodeEnvelope, type Envelope } from '../../events/index.ts'
import { createSseDecoder } from '../../sse/index.ts'
import { createMemoryStore } from '../../stores/memory/index.ts'
import type { Store } from '../../stores/port/index.ts'
import { createFeeds } from '../feeds/feed.ts'
import { findRunStart } from './find-start.ts'
import { completedAt, type Completion, createCompletion } from './completion.ts'
import { nextChunk } from './chunk-source.ts'
import { readFrames } from './log-reader.ts'
import { createViewRules } from '../views/view-rules.ts'

const ROOT = '0199a0a0-0000-7000-8000-000000000001'
const encoder = new TextEncoder()

/** A format that writes the number of earlier frames of the run, then each letter as a separate frame. */
const counting: LogFormat = {
  name: 'counting',
  reads: 'frames',
  headers: {},
  done: 'over',
  open: () => {
    let count = 0
    return {
      write: ({ type, delta }) => {
        if (type === 'meta_init') count = 0
        count++
        return [`${count} ${type}`, ...delta.split('')].map((data) => ({ data }))
      },
      finish: (end) => [{ data: end }],
    }
  },
}

const say = (type: string, delta: string, more: Partial<Envelope> = {}): Envelope => ({
  type,
  agent: ROOT,
  final: true,
  delta,
  ...more,
})

/** Two runs; the second begins with three frames. */
const log: readonly Envelope[] = [
  say('meta_init', 'a'),
  say('text', 'one'),
  say('meta_end', ''),
  say('meta_init', 'b', { final: false }),
  say('meta_init', 'c', { final: false }),
  say('meta_init', 'd'),
  say('text', 'two', { final: false }),
  say('thinking', 'psst'),
  say('text', ''),
  say('meta_end', 'e'),
]

async function createStore(envelopes: readonly Envelope[] = log): Promise<Store> {
  const store = createMemoryStore()
  await store.open(ROOT)
  const lines = envelopes.map((envelope) => encoder.encode(encodeEnvelope(envelope)))
  await store.append({ session: ROOT, epoch: 1, tail: 0, lines })
  return store
}

interface LogRange {
  readonly after?: number
  readonly frames?: number
  readonly completion?: Completion
  readonly hidden?: readonly 'thinking'[]
}

interface Frame {
  readonly id: string
  readonly data: string
}

async function collect(store: Store, range: LogRange = {}): Promise<Frame[]> {
  const { after = 0, frames = 0, completion = completedAt(log.length), hidden = [] } = range
  const heartbeatMs = 10_000
  const reader = readFrames({
    store,
    session: ROOT,
    after,
    frames,
    completion,
    heartbeatMs,
    maxLineBytes: 2_048,
    feeds: createFeeds({ store, heartbeatMs }),
    format: counting,
    ...(hidden.length > 0 && { view: createViewRules({ hiddenTypes: hidden }, ROOT) }),
  })
  const found: Frame[] = []
  const decoder = createSseDecoder({
    onEvent: ({ id = '', data }) => found.push({ id, data }),
  })
  for (let chunk; (chunk = await nextChunk(reader)) !== undefined;) decoder.feed(chunk.bytes)
  return found
}

const cursorOf = (id: string) => {
  const [after = 0, frames = 0] = id.split('.').map(Number)
  return { after, frames }
}

describe('a run read in another format', () => {
  test('[DIA-2] the last protocol frame has the id of its log frame, the others count from the id before', async () => {
    const found = await collect(await createStore(), { after: 1 })
    expect(found.slice(0, 4)).toEqual([
      { id: '1.1', data: '2 text' },
      { id: '1.2', data: 'o' },
      { id: '1.3', data: 'n' },
      { id: '2', data: 'e' },
    ])
    expect(found.slice(-2).map(({ data }) => data)).toEqual(['done', 'over'])
  })

  test('[DIA-1] [DIA-2] resumes at the next frame after any disconnect, with or without a view', async () => {
    const store = await createStore()
    for (const hidden of [[], ['thinking']] as const) {
      const whole = await collect(store, { hidden })
      const ends = whole.length - 2
      await fc.assert(
        fc.asyncProperty(fc.nat(ends - 1), async (cut) => {
          const read = whole.slice(0, cut + 1)
          const rest = await collect(store, { ...cursorOf(read.at(-1)?.id ?? ''), hidden })
          expect([...read, ...rest].map(({ data }) => data)).toEqual(whole.map(({ data }) => data))
        }),
      )
    }
  })

  test('encodes live frames like stored ones', async () => {
    const store = await createStore(log.slice(0, 4))
    const completion = createCompletion()
    const found = collect(store, { completion })
    for (const [at, envelope] of log.slice(4).entries()) {
      const lines = [encoder.encode(encodeEnvelope(envelope))]
      await store.append({ session: ROOT, epoch: 1, tail: 4 + at, lines })
      await new Promise((resolve) => setTimeout(resolve, at % 2))
    }
    completion.complete(log.length)
    expect(await found).toEqual(await collect(await createStore()))
  })

  test('an interrupted stream ends as cut', async () => {
    const completion = createCompletion()
    const found = collect(await createStore(), { completion })
    await new Promise((resolve) => setTimeout(resolve, 5))
    completion.interrupt()
    expect((await found).at(-1)).toMatchObject({ data: 'cut' })
  })
})

describe('where a run begins [LIFE-1]', () => {
  test('is found at the first of several opening frames', async () => {
    const store = await createStore()
    const starts = await Promise.all(
      log.map((_, at) => findRunStart(store, { session: ROOT }, at + 1)),
    )
    expect(starts).toEqual([0, 0, 0, 3, 3, 3, 3, 3, 3, 3])
    expect(await findRunStart(store, { session: ROOT }, 0)).toBe(0)
  })

  test('is found in a long run, page by page', async () => {
    const many = Array.from({ length: 3_000 }, () => say('text', 'x', { final: false }))
    const store = await createStore([...log, say('meta_init', ''), ...many])
    expect(await findRunStart(store, { session: ROOT }, 3_011)).toBe(10)
  })
})
