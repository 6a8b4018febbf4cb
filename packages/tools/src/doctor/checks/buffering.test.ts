import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createExamination } from '../examination.ts'
import type { Greeting, Probe, ProbeOptions } from '../probe.ts'
import { createVisit } from '../visit.ts'
import { buffering } from './buffering.ts'

/** The arrival of a frame that left at this time as one of a number, the last of them at `lastMs`. */
type Way = (sent: { ms: number; index: number; endsAtByte: number; lastMs: number }) => number

const greeting: Greeting = {
  headers: [],
  forwarded: [],
  heartbeatMs: 15_000,
  timeMs: 0,
  version: undefined,
  arrivedMs: 1,
}

const frameBytes = 100

/** The observation of a stream at the end of a path, without a clock. */
function travel(way: Way, options: ProbeOptions): Probe {
  const { frames: count, intervalMs, idleMs = 0, padBytes = 0 } = options
  const size = frameBytes + padBytes
  const sentAt = (index: number): number => index * intervalMs + (index === count - 1 ? idleMs : 0)
  const lastMs = sentAt(count - 1)
  let arrivedMs = 0
  const frames = Array.from({ length: count }, (_, index) => {
    const ms = sentAt(index)
    arrivedMs = Math.max(arrivedMs, way({ ms, index, endsAtByte: (index + 1) * size, lastMs }))
    return { id: index + 1, elapsedMs: ms, arrivedMs }
  })
  return {
    status: 200,
    headers: {},
    startedAtMs: 0,
    headersMs: 1,
    greeting,
    frames,
    commentsMs: [],
    chunks: frames.map((frame) => ({ atMs: frame.arrivedMs, bytes: size })),
    text: '',
    end: 'done',
    endedMs: arrivedMs,
  }
}

async function judge(...ways: readonly [Way, ...Way[]]) {
  const { signal } = new AbortController()
  const visit = createVisit({ url: new URL('http://127.0.0.1:1/'), signal })
  let count = 0
  const probe = async (options: ProbeOptions): Promise<Probe> => {
    const isPaced = options.frames === visit.frames
    return travel((isPaced ? ways[count++] : undefined) ?? ways[0], options)
  }
  const examination = createExamination({ ...visit, probe }, travel(ways[0], visit), greeting)
  return buffering.run(examination)
}

test('any delay of each frame below the threshold is not reported', async () => {
  const delays = fc.array(fc.integer({ min: 0, max: 499 }), { minLength: 64, maxLength: 64 })
  await fc.assert(
    fc.asyncProperty(delays, async (late) => {
      const finding = await judge(({ ms, index }) => ms + (late[index] ?? 0))
      expect(finding?.severity).toBe('ok')
    }),
  )
})

test('buffering until the end is detected', async () => {
  const finding = await judge(({ lastMs }) => lastMs + 13)
  expect(finding).toMatchObject({ severity: 'problem', fix: 'buffering' })
  expect(finding?.seen).toBe(
    '12 frames were sent 250 ms apart; all arrived together, 2,763 ms after the request, when the stream ended',
  )
})

test('buffering of a number of bytes is detected, with their approximate number', async () => {
  const byBytes =
    (max: number): Way =>
    ({ endsAtByte, index, ms, lastMs }) => {
      // A frame is complete when the block with its last byte is full.
      const step = ms / Math.max(1, index) || 100
      const full = Math.ceil(endsAtByte / max) * max
      const last = Math.ceil(full / (endsAtByte / (index + 1))) - 1
      return Math.min(lastMs, last * step)
    }
  const finding = await judge(byBytes(8_192))
  expect(finding).toMatchObject({ severity: 'problem', fix: 'buffering' })
  expect(finding?.seen).toMatch(/all arrived together, .*about (6|8|10) KB were buffered$/)
})

test('delivery once a second is reported as bursts', async () => {
  const finding = await judge(({ ms }) => Math.ceil((ms + 1) / 1_000) * 1_000)
  expect(finding?.seen).toMatch(
    /^12 frames were sent 250 ms apart; they arrived in 3 groups of up to 4/,
  )
})

test('a frame that is held until another follows is detected by the pause', async () => {
  const finding = await judge(({ ms, index, lastMs }) =>
    ms === lastMs ? ms : index === 0 && lastMs === 3_000 ? 3_000 : ms + 250,
  )
  expect(finding).toMatchObject({ severity: 'problem', fix: 'buffering' })
  expect(finding?.seen).toContain('arrived only with the next one')
})

test('a single incident is a note', async () => {
  const finding = await judge(
    ({ lastMs }) => lastMs,
    ({ ms }) => ms,
  )
  expect(finding?.severity).toBe('note')
})
