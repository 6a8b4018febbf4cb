import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createSseDecoder } from '../../sse/index.ts'
import { createMemoryStore } from '../../stores/memory/index.ts'
import type { Appended, Store } from '../../stores/port/index.ts'
import { createFeeds } from '../feeds/feed.ts'
import { createCompletion, type Completion, completedAt } from './completion.ts'
import { nextChunk, type ChunkReader } from './chunk-source.ts'
import { readFrames } from './log-reader.ts'

const encoder = new TextEncoder()

async function createStore(count: number): Promise<Store> {
  const store = createMemoryStore()
  await store.open('s')
  await addLines(store, 0, count)
  return store
}

const addLines = (store: Store, tail: number, count: number): Promise<Appended> => {
  const lines = Array.from({ length: count }, (_, n) => encoder.encode(`line ${tail + n + 1}`))
  return store.append({ session: 's', epoch: 1, tail, lines })
}

interface LogRange {
  readonly store: Store
  readonly after?: number
  readonly completion: Completion
  readonly heartbeatMs?: number
  readonly maxChunkBytes?: number
}

const read = ({ after = 0, ...rest }: LogRange): ChunkReader => {
  const { store, heartbeatMs = 10_000 } = rest
  const feeds = createFeeds({ store, heartbeatMs })
  const bounds = { heartbeatMs, maxLineBytes: 2_048 }
  return readFrames({ session: 's', feeds, after, ...bounds, ...rest })
}

/** The received frames: `id data`. */
async function collect(reader: ChunkReader, onChunk = (_: Uint8Array) => {}) {
  const found: string[] = []
  const decoder = createSseDecoder({
    onEvent: ({ id, data }) => found.push(`${id ?? ''} ${data}`),
    onComment: (comment) => found.push(`: ${comment}`),
  })
  for (let chunk; (chunk = await nextChunk(reader)) !== undefined;) {
    onChunk(chunk.bytes)
    decoder.feed(chunk.bytes)
  }
  return found
}

const frames = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, n) => `${from + n} line ${from + n}`)

test('[LOG-3] a reader gets exactly the rest, for every cursor and chunk size', async () => {
  const store = await createStore(40)
  const sizes = { cursor: fc.nat(40), chunk: fc.nat(1_000) }
  await fc.assert(
    fc.asyncProperty(fc.record(sizes), async ({ cursor, chunk }) => {
      const completion = completedAt(40)
      const found = await collect(read({ store, after: cursor, completion, maxChunkBytes: chunk }))
      expect(found).toEqual([...frames(cursor + 1, 40), ' [DONE]'])
    }),
  )
})

test('frames that are ready together are sent in one chunk, up to the limit', async () => {
  const store = await createStore(1_000)
  const sizes: number[] = []
  const chunks = read({ store, completion: completedAt(1_000), maxChunkBytes: 4_096 })
  await collect(chunks, ({ length }) => sizes.push(length))
  expect(Math.max(...sizes)).toBeLessThanOrEqual(4_096)
  expect(sizes.length).toBeLessThan(20)
})

test('a reader follows a run to its end', async () => {
  const store = await createStore(0)
  const completion = createCompletion()
  const found = collect(read({ store, completion }))
  for (let tail = 0; tail < 30; tail += 3) {
    await addLines(store, tail, 3)
    await new Promise((resolve) => setTimeout(resolve, tail % 2))
  }
  completion.complete(30)
  expect(await found).toEqual([...frames(1, 30), ' [DONE]'])
})

test('a reader that gets all frames before the completion is known still gets the end', async () => {
  const store = await createStore(5)
  const completion = createCompletion()
  const found = collect(read({ store, completion }))
  await new Promise((resolve) => setTimeout(resolve, 10))
  completion.complete(5)
  expect(await found).toEqual([...frames(1, 5), ' [DONE]'])
})

test('a completion in the middle of the log is the end', async () => {
  const store = await createStore(20)
  const found = await collect(read({ store, after: 4, completion: completedAt(9) }))
  expect(found).toEqual([...frames(5, 9), ' [DONE]'])
})

test('[SSE-5] an interrupted completion ends the stream without [DONE]', async () => {
  const store = await createStore(2)
  const completion = createCompletion()
  const found = collect(read({ store, completion }))
  await new Promise((resolve) => setTimeout(resolve, 5))
  completion.interrupt()
  expect(await found).toEqual(frames(1, 2))
})

test('[SSE-3] an idle stream sends heartbeats and continues', async () => {
  const store = await createStore(1)
  const completion = createCompletion()
  let heartbeats = 0
  const found = collect(read({ store, completion, heartbeatMs: 5 }), (chunk) => {
    if (new TextDecoder().decode(chunk).startsWith(':')) heartbeats++
  })
  await expect.poll(() => heartbeats).toBeGreaterThan(1)
  await addLines(store, 1, 1)
  completion.complete(2)
  const all = await found
  expect(all.filter((frame) => !frame.startsWith(':'))).toEqual([...frames(1, 2), ' [DONE]'])
})

test('[SSE-4] the stream begins with the delay for reconnecting', async () => {
  const store = await createStore(0)
  const first = read({ store, completion: completedAt(0) }).take()
  expect(new TextDecoder().decode(first?.bytes)).toBe('retry: 1000\n\n')
})

/** Counts the listeners of a completion and a store, to find leaked ones. */
async function createCounted() {
  const memory = await createStore(1)
  const inner = createCompletion()
  const counts = { completion: 0, store: 0 }
  const completion: Completion = {
    ...inner,
    onChange: (listener) => {
      counts.completion++
      const stop = inner.onChange(listener)
      return () => {
        counts.completion--
        stop()
      }
    },
  }
  const store: Store = {
    ...memory,
    wait: async (...args) => {
      counts.store++
      try {
        await memory.wait(...args)
      } finally {
        counts.store--
      }
    },
  }
  return { store, completion, counts, complete: inner.complete }
}

const nobody = { completion: 0, store: 0 }
const everybody = { completion: 1, store: 1 }

test('closing ends a waiting reader and removes its listeners', async () => {
  const { store, completion, counts } = await createCounted()
  const reader = read({ store, completion })
  const found = collect(reader)
  await expect.poll(() => counts).toEqual(everybody)
  reader.close()
  expect(await found).toEqual(frames(1, 1))
  await expect.poll(() => counts).toEqual(nobody)
})

test('a reader removes its listeners after each wait and at the end', async () => {
  const { store, completion, counts, complete } = await createCounted()
  const found = collect(read({ store, completion, heartbeatMs: 1 }))
  for (let tail = 1; tail < 8; tail++) {
    await expect.poll(() => counts).toEqual(everybody)
    await addLines(store, tail, 1)
  }
  await expect.poll(() => counts).toEqual(everybody)
  complete(8)
  expect((await found).filter((frame) => !frame.startsWith(':'))).toEqual([
    ...frames(1, 8),
    ' [DONE]',
  ])
  await expect.poll(() => counts).toEqual(nobody)
})
