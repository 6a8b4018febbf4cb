import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createSseDecoder } from '../../sse/index.ts'
import { createCompletion } from './completion.ts'
import { untilReady } from './chunk-source.ts'
import { createPacedReader, type PacedReaderOptions } from '../routes/doctor-route.ts'

const plan = { frames: 4, intervalMs: 100, idleMs: 0, heartbeatMs: 0, padBytes: 0, after: 0 }

/** A reader with a manual clock, and its output so far. */
function open(options: Partial<PacedReaderOptions> = {}) {
  let nowMs = 5_000
  const completion = createCompletion()
  const reader = createPacedReader({
    ...plan,
    greeting: { hello: true },
    completion,
    now: () => 1_000_000,
    elapsed: () => nowMs,
    ...options,
  })
  const frames: { id: string | undefined; data: string }[] = []
  const comments: string[] = []
  const decoder = createSseDecoder({
    onEvent: ({ id, data }) => frames.push({ id, data }),
    onComment: (comment) => comments.push(comment),
  })
  const at = (ms: number) => {
    nowMs = 5_000 + ms
    for (let chunk = reader.take(); chunk !== undefined; chunk = reader.take())
      decoder.feed(chunk.bytes)
    return frames.map(({ id }) => id)
  }
  return { reader, completion, frames, comments, at }
}

test('sends each frame on time, with its number and send time', () => {
  const { frames, at, reader } = open()
  expect(at(0)).toEqual([undefined, '1'])
  expect(at(99)).toHaveLength(2)
  expect(at(100)).toHaveLength(3)
  expect(reader.isOver()).toBe(false)
  expect(at(350)).toEqual([undefined, '1', '2', '3', '4', undefined])
  expect(reader.isOver()).toBe(true)
  expect(JSON.parse(frames[0]?.data ?? '')).toEqual({ hello: true })
  expect(JSON.parse(frames[2]?.data ?? '')).toEqual({
    frame: 2,
    of: 4,
    elapsed_ms: 100,
    time_ms: 1_000_000,
  })
  expect(frames.at(-1)?.data).toBe('[DONE]')
})

test('a resumed reader gets the following frames, the first at once', () => {
  const { at } = open({ after: 2 })
  expect(at(0)).toEqual([undefined, '3'])
  expect(at(100)).toEqual([undefined, '3', '4', undefined])
  expect(open({ after: 9 }).at(0)).toEqual([undefined, undefined])
})

test('pauses before the last frame, with comments if configured', () => {
  const lively = open({ frames: 2, idleMs: 1_000, heartbeatMs: 300 })
  expect(lively.at(1_099)).toEqual([undefined, '1'])
  expect(lively.comments).toEqual(['ping', 'ping', 'ping'])
  expect(lively.at(1_100)).toHaveLength(4)
  const silent = open({ frames: 2, idleMs: 1_000 })
  silent.at(1_100)
  expect(silent.comments).toEqual([])
})

test('sends every frame once and in order, for any pacing', () => {
  const pacing = fc.record({
    frames: fc.integer({ min: 1, max: 64 }),
    intervalMs: fc.integer({ min: 0, max: 500 }),
    idleMs: fc.integer({ min: 0, max: 2_000 }),
    heartbeatMs: fc.constantFrom(0, 50, 700),
    padBytes: fc.constantFrom(0, 100),
    after: fc.integer({ min: 0, max: 64 }),
  })
  fc.assert(
    fc.property(pacing, fc.array(fc.integer({ min: 0, max: 40_000 })), (options, times) => {
      const { at, frames, reader } = open(options)
      for (const time of [...times].sort((a, b) => a - b)) at(time)
      at(100_000)
      expect(reader.isOver()).toBe(true)
      const ids = frames.flatMap(({ id }) => (id === undefined ? [] : [Number(id)]))
      const count = Math.max(0, options.frames - options.after)
      expect(ids).toEqual(Array.from({ length: count }, (_, index) => options.after + index + 1))
      expect(frames.at(-1)?.data).toBe('[DONE]')
    }),
  )
})

test('ends when the server or the reader closes it', async () => {
  const one = open({ idleMs: 500_000 })
  one.at(200)
  const waited = untilReady(one.reader)
  one.completion.interrupt()
  await waited
  expect(one.reader.isOver()).toBe(true)
  const other = open({ idleMs: 500_000 })
  other.at(200)
  const alsoWaited = untilReady(other.reader)
  other.reader.close()
  await alsoWaited
  expect(other.reader.isOver()).toBe(true)
})
