import { describe, expect, test } from 'vitest'
import { createFrameLog } from './frame-log.ts'

const frame = (id: number, data: string) => ({ id, data, bytes: data.length, time: 0 })
const immediately = (callback: () => void) => callback()

describe('the log of frames', () => {
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

  test('keeps the latest frames only, and counts what it keeps', () => {
    const log = createFrameLog({ maxFrames: 100, schedule: immediately })
    for (let id = 1; id <= 5_000; id++) {
      log.add(frame(id, `{"type":"${id < 4_000 ? 'old' : 'new'}","agent":"a"}`))
    }
    const { frames, total, types } = log.getSnapshot()
    expect(frames.length).toBeLessThan(700)
    expect(frames.length).toBeGreaterThanOrEqual(100)
    expect(frames.at(-1)).toMatchObject({ id: 5_000, index: 4_999 })
    expect(total).toBe(5_000)
    expect(types).toEqual(new Map([['new', frames.length]]))
  })

  test('tells of many frames once', () => {
    const due: (() => void)[] = []
    const log = createFrameLog({ schedule: (callback) => due.push(callback) })
    let told = 0
    log.subscribe(() => told++)
    for (let id = 1; id <= 50; id++) log.add(frame(id, '{"type":"text","agent":"a"}'))
    expect(due).toHaveLength(1)
    due[0]?.()
    expect(told).toBe(1)
    expect(log.getSnapshot().total).toBe(50)
  })
})
