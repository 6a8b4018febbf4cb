import fc from 'fast-check'
import { expect, test } from 'vitest'
import { timeCovered } from './time-covered.ts'

const time = fc.nat(1_000)
const stretch = fc.tuple(time, time).map(([start, length]) => ({ start, end: start + length }))

test('overlaps count once, separate intervals are added, and an open interval ends at the given time', () => {
  const of = (...pairs: readonly (readonly [number, number | undefined])[]) =>
    timeCovered(
      pairs.map(([start, end]) => ({ start, end })),
      100,
    )
  expect(of()).toBe(0)
  expect(of([0, 10], [5, 15])).toBe(15)
  expect(of([0, 30], [5, 15])).toBe(30)
  expect(of([20, 30], [0, 10])).toBe(20)
  expect(of([0, 10], [10, 20])).toBe(20)
  expect(of([90, undefined], [80, 95])).toBe(20)
})

test('is at most the sum and the span, at least the longest interval, and independent of the order', () => {
  fc.assert(
    fc.property(fc.array(stretch, { minLength: 1 }), fc.infiniteStream(time), (all, numbers) => {
      const covered = timeCovered(all, 0)
      const lengths = all.map(({ start, end }) => end - start)
      const span =
        Math.max(...all.map(({ end }) => end)) - Math.min(...all.map(({ start }) => start))
      expect(covered).toBeLessThanOrEqual(lengths.reduce((sum, length) => sum + length, 0))
      expect(covered).toBeLessThanOrEqual(span)
      expect(covered).toBeGreaterThanOrEqual(Math.max(...lengths))
      const shuffled = all
        .map((each) => [numbers.next().value ?? 0, each] as const)
        .toSorted(([one], [other]) => one - other)
        .map(([, each]) => each)
      expect(timeCovered(shuffled, 0)).toBe(covered)
    }),
  )
})

test('is the time in which at least one interval is open', () => {
  const small = fc
    .tuple(fc.nat(20), fc.nat(8))
    .map(([start, length]) => ({ start, end: start + length }))
  fc.assert(
    fc.property(fc.array(small), (all) => {
      const moments = Array.from({ length: 30 }, (_, at) => at)
      const busy = moments.filter((at) => all.some(({ start, end }) => start <= at && at < end))
      expect(timeCovered(all, 0)).toBe(busy.length)
    }),
  )
})
