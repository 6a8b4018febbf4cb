import { encodeEnvelope } from 'millrace'
import { expect, test } from 'vitest'
import { createFrameLog } from '../../session/frames/frame-log.ts'
import { createTimelineFeed, toRuns } from './timeline-feed.ts'

const line = (type: string, delta = '') => encodeEnvelope({ type, agent: 'a', final: true, delta })

test('a long log is read in slices and published meanwhile', () => {
  const log = createFrameLog({ schedule: (callback) => callback() })
  const due: (() => void)[] = []
  const feed = createTimelineFeed(log, (work) => due.push(work))
  log.add({ id: 1, data: line('meta_init', '{"user_query":"Hi"}') }, { time: 0 })
  for (let id = 2; id <= 10_000; id++) log.add({ id, data: line('text', 'x') }, { time: id })
  const parts: number[] = []
  feed.subscribe(() => parts.push(feed.getSnapshot().part))
  for (let work = due.shift(); work; work = due.shift()) work()
  expect(parts).toEqual([0.4, 0.8, 1])
  expect(feed.getSnapshot().runs).toEqual(toRuns(log.getSnapshot()))
  log.add({ id: 10_001, data: line('text', 'x') }, { time: 10_001 })
  for (let work = due.shift(); work; work = due.shift()) work()
  expect(feed.getSnapshot().runs).toEqual(toRuns(log.getSnapshot()))
})

test('changed times are drawn again', () => {
  const log = createFrameLog({ schedule: (callback) => callback() })
  const feed = createTimelineFeed(log, (work) => work())
  feed.subscribe(() => {})
  const untimed = { time: 0, isTimed: false }
  log.add({ id: 1, data: line('meta_init', '{}') }, untimed)
  log.add({ id: 2, data: line('text', 'x') }, untimed)
  expect(feed.getSnapshot().runs[0]).toMatchObject({ clock: 'order', times: [0, 1] })
  log.setTimes([
    [1, 100],
    [2, 350],
  ])
  expect(feed.getSnapshot().runs[0]).toMatchObject({ clock: 'time', times: [0, 250] })
})

test('the drawn runs stay while a long log is read again, and keep their numbers', () => {
  const log = createFrameLog({ maxFrames: 9_000, schedule: (callback) => callback() })
  const due: (() => void)[] = []
  const work = () => {
    for (let next = due.shift(); next; next = due.shift()) next()
  }
  const feed = createTimelineFeed(log, (next) => due.push(next))
  const seen: (readonly [number | undefined, number | undefined])[] = []
  feed.subscribe(() => {
    const { runs } = feed.getSnapshot()
    seen.push([runs.at(-1)?.number, runs.at(-1)?.times.length])
  })
  for (let id = 1; id <= 12_000; id++) {
    const isFirst = id % 3_000 === 1
    log.add({ id, data: isFirst ? line('meta_init', '{}') : line('text', 'x') }, { time: id })
    work()
  }
  expect(log.getSnapshot().frames[0]?.index).toBeGreaterThan(0)
  seen.length = 0
  const before = feed.getSnapshot()
  log.setTimes([[9_000, 50]])
  due.shift()?.()
  expect(feed.getSnapshot()).toBe(before)
  work()
  expect(seen).toEqual([[4, 3_000]])
  expect(feed.getSnapshot().runs.at(-1)).toMatchObject({ isStored: true })
  expect(feed.getSnapshot().runs.map(({ number }) => number)).toEqual(
    before.runs.map(({ number }) => number),
  )
})
