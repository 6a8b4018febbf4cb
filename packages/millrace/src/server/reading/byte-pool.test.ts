import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Slab } from './byte-pool.ts'

function reserve(slab: Slab, length: number): Uint8Array {
  const start = slab.reserve(length)
  return slab.block.subarray(start, start + length)
}

test('pieces are as asked for, and none is changed by another', () => {
  const asked = fc.array(fc.oneof(fc.nat(80), fc.string({ unit: 'binary', maxLength: 40 })), {
    maxLength: 20,
  })
  fc.assert(
    fc.property(asked, (all) => {
      const slab = new Slab(64)
      const pieces = all.map((one) =>
        typeof one === 'string' ? slab.encode(one) : reserve(slab, one).fill(one),
      )
      const expected = all.map((one) =>
        typeof one === 'string' ? new TextEncoder().encode(one) : new Uint8Array(one).fill(one),
      )
      expect(pieces.map(String)).toEqual(expected.map(String))
    }),
  )
})

test('small pieces share memory, and large ones have their own', () => {
  const slab = new Slab(64)
  const [one, two, large] = [slab.encode('one'), reserve(slab, 3), reserve(slab, 65)]
  expect(one.buffer).toBe(two.buffer)
  expect(large.buffer.byteLength).toBe(65)
})
