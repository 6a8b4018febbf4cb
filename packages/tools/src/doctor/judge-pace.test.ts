import fc from 'fast-check'
import { expect, test } from 'vitest'
import { judgePace, type Timed } from './judge-pace.ts'

const holdMs = 500

/** Frames that leave at equal intervals, and arrive in order after delays, by a wrong clock. */
function send(
  { frames, intervalMs, offsetMs }: { frames: number; intervalMs: number; offsetMs: number },
  arrive: (sentMs: number, index: number) => number,
): readonly Timed[] {
  let lastMs = -Infinity
  return Array.from({ length: frames }, (_, index) => {
    const elapsedMs = index * intervalMs
    lastMs = Math.max(lastMs, arrive(elapsedMs, index))
    return { elapsedMs, arrivedMs: lastMs + offsetMs }
  })
}

const pacing = fc.record({
  frames: fc.integer({ min: 8, max: 64 }),
  intervalMs: fc.integer({ min: 1, max: 1_000 }),
  offsetMs: fc.integer({ min: -1_000_000_000, max: 1_000_000_000 }),
})

const jitter = fc.array(fc.integer({ min: 0, max: holdMs - 1 }), { minLength: 64, maxLength: 64 })

test('a path that delays each frame by less than the threshold does not buffer', () => {
  fc.assert(
    fc.property(pacing, jitter, (plan, delays) => {
      const frames = send(plan, (sentMs, index) => sentMs + (delays[index] ?? 0))
      const { isHeld, worstLagMs } = judgePace(frames, { holdMs })
      expect(isHeld).toBe(false)
      expect(worstLagMs).toBeLessThan(holdMs)
    }),
  )
})

test('a single late frame is not buffering', () => {
  fc.assert(
    fc.property(pacing, fc.nat({ max: 7 }), ({ intervalMs, ...plan }, late) => {
      const slow = { ...plan, intervalMs: intervalMs + holdMs }
      const frames = send(slow, (sentMs, index) => sentMs + (index === late ? 2 * holdMs : 0))
      expect(judgePace(frames, { holdMs }).isHeld).toBe(false)
    }),
  )
})

test('frames that arrive only after all were sent were buffered, in one burst', () => {
  fc.assert(
    fc.property(pacing, jitter, ({ intervalMs, ...plan }, delays) => {
      const slow = { ...plan, intervalMs: Math.max(intervalMs, holdMs / 2) }
      const endMs = (slow.frames - 1) * slow.intervalMs
      const frames = send(slow, (_, index) => endMs + ((delays[index] ?? 0) % 20))
      const { isHeld, lumps } = judgePace(frames, { holdMs })
      expect(isHeld).toBe(true)
      expect(lumps).toEqual([slow.frames])
    }),
  )
})

test('frames that arrive in groups were buffered, for groups of any size', () => {
  fc.assert(
    fc.property(pacing, fc.integer({ min: 4, max: 16 }), ({ intervalMs, ...plan }, size) => {
      const slow = { ...plan, intervalMs: Math.max(intervalMs, holdMs) }
      const last = slow.frames - 1
      // Each waits for the last of its group.
      const frames = send(slow, (_, index) => {
        const end = Math.min(last, index - (index % size) + size - 1)
        return end * slow.intervalMs
      })
      const { isHeld, lumps } = judgePace(frames, { holdMs })
      expect(isHeld).toBe(true)
      expect(lumps).toHaveLength(Math.ceil(slow.frames / size))
    }),
  )
})

test('a stream without frames has no verdict', () => {
  expect(judgePace([], { holdMs })).toEqual({ lagsMs: [], worstLagMs: 0, lumps: [], isHeld: false })
})
