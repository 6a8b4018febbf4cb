import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BytePool } from './line-bytes.ts'

function reserve(pool: BytePool, length: number): Uint8Array {
  const start = pool.reserve(length)
  return pool.block.subarray(start, start + length)
}

test('arrays have the requested size and do not overlap', () => {
  const asked = fc.array(fc.oneof(fc.nat(80), fc.string({ unit: 'binary', maxLength: 40 })), {
    maxLength: 20,
  })
  fc.assert(
    fc.property(asked, (all) => {
      const pool = new BytePool(64)
      const chunks = all.map((one) =>
        typeof one === 'string' ? pool.encode(one) : reserve(pool, one).fill(one),
      )
      const expected = all.map((one) =>
        typeof one === 'string' ? new TextEncoder().encode(one) : new Uint8Array(one).fill(one),
      )
      expect(chunks.map(String)).toEqual(expected.map(String))
    }),
  )
})

test('small arrays share a block, large ones have their own', () => {
  const pool = new BytePool(64)
  const [one, two, large] = [pool.encode('one'), reserve(pool, 3), reserve(pool, 65)]
  expect(one.buffer).toBe(two.buffer)
  expect(large.buffer.byteLength).toBe(65)
})
