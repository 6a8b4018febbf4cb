import { expect, test } from 'vitest'
import { ALLOWED_BYTES, judge } from './judge.ts'
import type { TakenSample } from './sample.ts'

/** Samples after each thousand runs: memory by the number of thousands, and counts likewise. */
function samplesOf(
  memory: (thousands: number) => number,
  counts: (thousands: number) => Record<string, number> = () => ({}),
): TakenSample[] {
  return Array.from({ length: 20 }, (_, index) => ({
    runs: (index + 1) * 1_000,
    heapUsed: memory(index + 1),
    external: 0,
    arrayBuffers: 0,
    rss: 0,
    counts: counts(index + 1),
  }))
}

const noise = (thousands: number): number => 200_000 * Math.sin(thousands * 7)

test('fluctuating memory does not fail', () => {
  expect(judge(samplesOf((thousands) => 5e7 + noise(thousands))).faults).toEqual([])
})

test('a warm-up does not fail', () => {
  const { faults } = judge(samplesOf((thousands) => 5e7 + Math.min(thousands, 5) * 5e6))
  expect(faults).toEqual([])
})

test('one outlier does not fail', () => {
  const { faults } = judge(samplesOf((thousands) => (thousands === 20 ? 9e7 : 5e7)))
  expect(faults).toEqual([])
})

test.each([1.1, 20])('growth by %d times the bound fails', (times) => {
  const growth = times * ALLOWED_BYTES * 1_000
  const verdict = judge(samplesOf((thousands) => 5e7 + thousands * growth))
  expect(verdict.bytesPerRun).toBeCloseTo(times * ALLOWED_BYTES)
  expect(verdict.faults).toHaveLength(1)
})

test('a count that rises by one every thousand runs fails, a fluctuating one does not', () => {
  const counts = (thousands: number) => ({ TCPSocketWrap: thousands, Timeout: thousands % 3 })
  const { faults } = judge(samplesOf(() => 5e7, counts))
  expect(faults).toEqual(['TCPSocketWrap rose from at most 10 to at least 17'])
})

test('a count that is one higher from some moment on does not fail', () => {
  const counts = (thousands: number) => ({ descriptors: thousands > 12 ? 34 : 33 })
  expect(judge(samplesOf(() => 5e7, counts)).faults).toEqual([])
})

test('too few samples are an error', () => {
  expect(() => judge(samplesOf(() => 5e7).slice(0, 3))).toThrow('at least 4')
})
