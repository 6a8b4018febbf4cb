import fc from 'fast-check'
import { expect, test } from 'vitest'
import { countAt, timeAt } from '../model/run-times.ts'
import { barKinds } from '../model/timeline.ts'
import type { Bar, BarKind, Lane, Run } from '../model/timeline.ts'
import { layoutRun, toTicks, toTime, toX } from './chart-layout.ts'
import { clampWindow } from './use-window.ts'

const kinds = Object.keys(barKinds) as BarKind[]

/** Bars in order: one after the other in each row. */
const anyBars = fc
  .array(
    fc.record({
      row: fc.nat(3),
      gap: fc.nat(50),
      lasts: fc.nat(80),
      kind: fc.constantFrom(...kinds),
    }),
    { maxLength: 400 },
  )
  .map((plan) => {
    const ends = [0, 0, 0, 0]
    return plan.map(({ row, gap, lasts, kind }, firstIndex): Bar => {
      const start = (ends[row] ?? 0) + gap
      const end = (ends[row] = start + lasts)
      const nothing = { label: '', id: '', isError: false, isVoid: false }
      return { kind, ...nothing, start, end, firstIndex, frames: 1, bytes: 1, chars: 1, row }
    })
  })

function toRun(bars: readonly Bar[]): Run {
  const sums = { frames: 0, bytes: 0 }
  const lane: Lane = {
    agent: 'a',
    name: '',
    parent: undefined,
    depth: 0,
    isAsked: true,
    bars: [...bars],
    steps: [],
    rows: 4,
    start: 0,
    end: 0,
    ...sums,
  }
  return {
    number: 1,
    prompt: '',
    model: '',
    clock: 'time',
    isStored: false,
    startTime: 0,
    firstIndex: 0,
    times: [],
    lanes: [lane],
    silences: [],
    firstToken: undefined,
    bytes: 0,
    stopReason: '',
    isOver: true,
    inputTokens: undefined,
    outputTokens: undefined,
    cost: undefined,
    merged: 0,
  }
}

const anyFrame = fc
  .record({
    from: fc.nat(2_000),
    length: fc.integer({ min: 1, max: 9_000 }),
    left: fc.constantFrom(0, 132),
  })
  .map(({ from, length, left }) => ({
    from,
    to: from + length,
    width: 600,
    left,
    now: 0,
    frames: 0,
  }))

test('every bar in view is drawn once inside the chart, and no more than fit', () => {
  fc.assert(
    fc.property(anyBars, anyFrame, (bars, frame) => {
      const { lanes } = layoutRun(toRun(bars), frame)
      const shapes = lanes.flatMap((lane) => lane.shapes)
      const inView = bars.filter(({ start, end = 0 }) => end >= frame.from && start <= frame.to)
      expect(shapes.reduce((sum, { count }) => sum + count, 0)).toBe(inView.length)
      expect(shapes.length).toBeLessThanOrEqual(4 * (frame.width + 1))
      for (const { x, width } of shapes) {
        expect(x).toBeGreaterThanOrEqual(frame.left)
        expect(x + width).toBeLessThanOrEqual(frame.width + 3)
      }
    }),
  )
})

test('many small bars become few rectangles', () => {
  const flags = { label: '', id: '', isError: false, isVoid: false }
  const counts = { frames: 1, bytes: 1, chars: 1, row: 0 }
  const bars = Array.from({ length: 20_000 }, (_, at): Bar => {
    return { kind: 'text', ...flags, ...counts, start: at, end: at, firstIndex: at }
  })
  const frame = { from: 0, to: 20_000, width: 800, left: 0, now: 0, frames: 0 }
  expect(layoutRun(toRun(bars), frame).lanes[0]?.shapes.length).toBeLessThan(10)
})

test('a position on the scale is a time, and its ticks are round and few', () => {
  fc.assert(
    fc.property(anyFrame, fc.double({ min: 0, max: 1, noNaN: true }), (frame, part) => {
      const at = frame.from + part * (frame.to - frame.from)
      expect(toTime(toX(at, frame), frame)).toBeCloseTo(at, 5)
      const ticks = toTicks(frame, 8)
      expect(ticks.length).toBeLessThanOrEqual(9)
      for (const tick of ticks) expect(tick).toBeGreaterThanOrEqual(frame.from)
    }),
  )
})

test('a window stays within its run', () => {
  const number = fc.double({ min: -1e6, max: 1e6, noNaN: true })
  fc.assert(
    fc.property(
      number,
      number,
      fc.double({ min: 1, max: 1e6, noNaN: true }),
      (one, other, extent) => {
        const { from, to } = clampWindow({ from: one, to: other }, extent)
        expect(from).toBeGreaterThanOrEqual(0)
        expect(to).toBeLessThanOrEqual(extent * (1 + 1e-9))
        expect(to).toBeGreaterThan(from)
      },
    ),
  )
})

test('a time maps to the frames so far, and back to the time of the last one', () => {
  const times = fc.array(fc.nat(1_000)).map((all) => all.toSorted((one, other) => one - other))
  fc.assert(
    fc.property(times, fc.nat(1_200), fc.nat(500), (all, at, firstIndex) => {
      const run = { times: all, firstIndex }
      const come = all.filter((time) => time <= at)
      expect(countAt(run, at)).toBe(firstIndex + come.length)
      expect(timeAt(run, countAt(run, at))).toBe(come.at(-1) ?? 0)
      expect(timeAt(run, firstIndex + all.length + 1)).toBeUndefined()
    }),
  )
})
