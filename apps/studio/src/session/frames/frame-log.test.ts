import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createFrameLog } from './frame-log.ts'

const frame = (id: number, data: string) => ({ id, data })
const immediately = (callback: () => void) => callback()

describe('the frame log', () => {
  test('reads type and agent from the head of a line, in any order of fields', () => {
    const log = createFrameLog({ schedule: immediately })
    log.add(frame(1, '{"type":"text","agent":"a","final":false,"delta":""}'))
    log.add(frame(2, '{"agent":"b","type":"error"}'))
    log.add(frame(3, '[DONE]'))
    log.add(frame(4, 'nonsense'))
    const { frames, agents, total } = log.getSnapshot()
    expect(frames.map(({ type }) => type)).toEqual(['text', 'error', '[DONE]', 'malformed'])
    expect(agents).toEqual(['a', 'b'])
    expect(total).toBe(4)
  })

  test('keeps the latest frames within its bounds and counts them', () => {
    const sizes = fc.array(fc.nat(400), { maxLength: 400 })
    fc.assert(
      fc.property(sizes, fc.integer({ min: 1, max: 80 }), (lengths, maxFrames) => {
        const log = createFrameLog({ maxFrames, maxBytes: 10_000, schedule: immediately })
        for (const [index, length] of lengths.entries()) {
          log.add(frame(index + 1, `{"type":"t${length % 3}","agent":"${'ü'.repeat(length)}"}`))
        }
        const { frames, total, types, bytes } = log.getSnapshot()
        const kept = frames.reduce((sum, each) => sum + each.bytes, 0)
        expect(frames.length).toBeLessThanOrEqual(maxFrames * 1.125)
        expect(kept).toBeLessThanOrEqual(11_250)
        expect(frames.map(({ index }) => index)).toEqual(
          frames.map((_, position) => total - frames.length + position),
        )
        expect([...types.values()].reduce((sum, each) => sum + each, 0)).toBe(frames.length)
        expect(total).toBe(lengths.length)
        expect(bytes).toBe(lengths.reduce((sum, each) => sum + 2 * each + 24, 0))
      }),
    )
  })

  test('trims once for many frames', () => {
    const log = createFrameLog({ maxFrames: 800, schedule: immediately })
    const lists = new Set<unknown>()
    for (let id = 1; id <= 8_000; id++) {
      log.add(frame(id, '{"type":"text","agent":"a"}'))
      lists.add(log.getSnapshot().frames)
    }
    expect(lists.size).toBeLessThanOrEqual(8_000 / 100)
  })

  test('counts bytes in UTF-8', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const log = createFrameLog({ schedule: immediately })
        log.add(frame(1, text))
        expect(log.getSnapshot().bytes).toBe(new TextEncoder().encode(text).length)
      }),
    )
  })

  test('notifies once for many frames', () => {
    const due: (() => void)[] = []
    const log = createFrameLog({ schedule: (callback) => due.push(callback) })
    let notices = 0
    log.subscribe(() => notices++)
    for (let id = 1; id <= 50; id++) log.add(frame(id, '{"type":"text","agent":"a"}'))
    expect(due).toHaveLength(1)
    due[0]?.()
    expect(notices).toBe(1)
    expect(log.getSnapshot().total).toBe(50)
  })

  test('accepts times later, for merged messages from the first to the last', () => {
    const log = createFrameLog({ schedule: immediately })
    const untimed = { time: 9_000, isTimed: false }
    log.add(frame(1, '{"type":"meta_init","agent":"a"}'), untimed)
    log.add(frame(6, '{"type":"text","agent":"a","final":false,"delta":"x","span":5}'), untimed)
    log.add({ id: undefined, data: '[DONE]' }, untimed)
    log.setTimes([
      [1, 100],
      [2, 200],
      [5, 300],
    ])
    log.add(frame(7, '{"type":"text","agent":"a"}'), { time: 9_500 })
    const { frames, startTime, timesVersion } = log.getSnapshot()
    expect(frames.map(({ since, time, isTimed }) => [since, time, isTimed])).toEqual([
      [100, 100, true],
      [200, 300, true],
      [300, 300, true],
      [9_500, 9_500, true],
    ])
    expect([startTime, timesVersion]).toEqual([100, 1])
  })

  test('converts stored times to the local clock, up to the requested id', () => {
    const log = createFrameLog({ schedule: immediately })
    const text = '{"type":"text","agent":"a"}'
    // The local clock is 60 s ahead, and each frame was delayed.
    for (const [id, time] of [60_130, 60_290, 60_410, 60_900].entries()) {
      log.add(frame(id + 1, text), { time })
    }
    log.setTimes(
      [
        [1, 100],
        [2, 220],
        [3, 400],
      ],
      3,
    )
    const timesOf = () => log.getSnapshot().frames.map(({ time, isStored }) => [time, isStored])
    expect(timesOf()).toEqual([
      [60_110, true],
      [60_230, true],
      [60_410, true],
      [60_900, false],
    ])
    log.setTimes([[4, 850]])
    expect(timesOf().slice(2)).toEqual([
      [60_410, true],
      [60_860, true],
    ])
  })

  test('converts a history to the local clock once a live frame has arrived', () => {
    const log = createFrameLog({ schedule: immediately })
    const text = '{"type":"text","agent":"a"}'
    for (const id of [1, 2]) log.add(frame(id, text), { time: 90_000, isTimed: false })
    log.setTimes(
      [
        [1, 100],
        [2, 200],
      ],
      2,
    )
    const times = () => log.getSnapshot().frames.map(({ time }) => time)
    expect(times()).toEqual([100, 200])
    // The local clock is 60 s ahead; history that is read again does not show that.
    log.add(frame(3, text), { time: 90_300 })
    log.setTimes(
      [
        [2, 200],
        [3, 30_290],
      ],
      3,
    )
    expect(times()).toEqual([60_110, 60_210, 90_300])
    expect(log.getSnapshot().startTime).toBe(60_110)
  })
})
