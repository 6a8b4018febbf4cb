import fc from 'fast-check'
import { expect, test } from 'vitest'
import { encodeSse } from '../../sse/index.ts'
import { createFrameRing } from './frame-ring.ts'

const encoder = new TextEncoder()
const decoder = new TextDecoder()
const entry = (id: number) => ({ id, line: encoder.encode(`line ${id}`) })
const entries = (after: number, count: number) =>
  Array.from({ length: count }, (_, index) => entry(after + 1 + index))
const lines = (after: number, count: number) => entries(after, count).map(({ line }) => line)
const frames = (after: number, lastId: number) =>
  entries(after, lastId - after)
    .map(({ id }) => encodeSse({ id, data: `line ${id}` }))
    .join('')

test('returns frames of an id range until they are dropped', () => {
  const pushes = fc.array(fc.integer({ min: 1, max: 6 }), { maxLength: 20 })
  fc.assert(
    fc.property(pushes, fc.nat(300), fc.nat(50), fc.nat(90), (counts, maxBytes, start, upTo) => {
      const ring = createFrameRing(start, maxBytes)
      for (const count of counts) ring.push(lines(ring.tail(), count))
      const tail = start + counts.reduce((sum, count) => sum + count, 0)
      expect(ring.tail()).toBe(tail)
      let first = tail
      while (ring.take(first - 1, Infinity) !== undefined) first--
      expect(tail - first).toBeGreaterThanOrEqual(counts.at(-1) ?? 0)
      for (let after = first; after < Math.min(upTo, tail); after++) {
        const shared = ring.take(after, upTo)
        const lastId = shared?.lastId ?? 0
        expect(lastId).toBeGreaterThan(after)
        expect(lastId).toBeLessThanOrEqual(upTo)
        const said = frames(after, lastId)
        expect(decoder.decode(shared?.bytes)).toBe(said)
        if (shared?.httpChunk !== undefined) {
          const size = said.length.toString(16)
          expect(decoder.decode(shared.httpChunk)).toBe(`${size}\r\n${said}\r\n`)
        }
        expect(shared?.entries()).toEqual(entries(after, lastId - after))
      }
      expect(ring.take(tail, Infinity)).toBeUndefined()
    }),
  )
})

test('holds at most its byte limit, but always the latest batch', () => {
  const ring = createFrameRing(0, 200)
  for (let count = 0; count < 50; count++) ring.push(lines(ring.tail(), 2))
  let after = 99
  while (ring.take(after - 1, Infinity) !== undefined) after--
  let held = 0
  for (let shared; (shared = ring.take(after, Infinity)); after = shared.lastId) {
    held += shared.bytes.length
  }
  expect(after).toBe(100)
  expect(held).toBeLessThanOrEqual(200)
  ring.push([new Uint8Array(500)])
  expect(ring.take(100, Infinity)?.lastId).toBe(101)
  expect(ring.take(99, Infinity)).toBeUndefined()
  ring.clear()
  expect(ring.take(100, Infinity)).toBeUndefined()
})

test('readers of the same frames share the same bytes', () => {
  const ring = createFrameRing(0, 1_000)
  ring.push(lines(0, 3))
  expect(ring.take(0, Infinity)?.bytes).toBe(ring.take(0, Infinity)?.bytes)
  expect(ring.take(0, Infinity)?.bytes.buffer).toBe(ring.take(1, 2)?.bytes.buffer)
})
