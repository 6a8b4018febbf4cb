import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createFrameLog } from '../session/frames/frame-log.ts'
import {
  createFrameSelector,
  createFrameSelectors,
  createFrameTest,
  findFrame,
  noFilter,
} from './select-frames.ts'

const words = ['Wheel', 'water', 'mill']
const message = fc.record({
  type: fc.constantFrom('text', 'thinking', 'error'),
  agent: fc.constantFrom('a', 'b'),
  delta: fc.array(fc.constantFrom(...words)).map((said) => said.join(' ')),
})
const filter = fc.record({
  types: fc
    .uniqueArray(fc.constantFrom('text', 'thinking', 'error'))
    .map((types) => new Set<string>(types)),
  agent: fc.constantFrom('', 'a', 'b'),
  text: fc.constantFrom('', ' ', 'wheel', 'MILL  wat'),
})

test('matching frames are selected as they arrive, also when older ones are dropped', () => {
  fc.assert(
    fc.property(filter, fc.array(fc.array(message, { maxLength: 20 })), (chosen, pieces) => {
      const log = createFrameLog({ maxFrames: 24, schedule: (callback) => callback() })
      const select = createFrameSelector(chosen)
      const wanted = chosen.text.toLowerCase().split(' ').filter(Boolean)
      for (const piece of pieces) {
        for (const each of piece) log.add({ id: 1, data: JSON.stringify(each) })
        const { frames } = log.getSnapshot()
        const expected = frames.filter(
          ({ type, agent, data }) =>
            (chosen.types.size === 0 || chosen.types.has(type)) &&
            (chosen.agent === '' || agent === chosen.agent) &&
            wanted.every((word) => data.toLowerCase().includes(word)),
        )
        const selected = select(frames)
        expect(selected).toEqual(expected)
        for (const frame of frames) expect(findFrame(selected, frame)).toBe(expected.indexOf(frame))
      }
    }),
  )
})

test('a longer text only searches the previous matches and finds the same', () => {
  const log = createFrameLog({ schedule: (callback) => callback() })
  const add = (delta: string) =>
    log.add({ id: 1, data: JSON.stringify({ type: 'text', agent: 'a', delta }) })
  for (const delta of ['mill', 'milk', 'water', 'ΟΔΟΣΑ', 'say "mill"']) add(delta)
  const { frames } = log.getSnapshot()
  const toSelector = createFrameSelectors()
  for (const text of ['m', 'mil', 'mill ', 'mill "', 'mil', 'ΟΔΟΣ', 'ΟΔΟΣΑ', '']) {
    const filter = { ...noFilter, text }
    expect(toSelector(filter)(frames)).toEqual(createFrameSelector(filter)(frames))
  }
  const wide = toSelector({ ...noFilter, text: 'mil' })
  expect(wide(frames)).toHaveLength(3)
  let looked = 0
  for (const frame of frames) {
    const { data } = frame
    Object.defineProperty(frame, 'data', { get: () => (looked++, data) })
  }
  const narrow = toSelector({ ...noFilter, text: 'milk' })
  expect(narrow(frames)).toHaveLength(1)
  expect(looked).toBe(3)
  add('milk and mill')
  expect(narrow(frames)).toHaveLength(2)
  expect(wide(frames)).toHaveLength(4)
})

test('words are found as typed and as escaped in the line', () => {
  const log = createFrameLog({ schedule: (callback) => callback() })
  log.add({
    id: 1,
    data: JSON.stringify({ type: 'text', agent: 'a', delta: 'Say "yes", C:\\mill' }),
  })
  const [frame] = log.getSnapshot().frames
  const finds = (text: string) => createFrameTest({ ...noFilter, text })(frame!)
  expect(['"YES"', 'c:\\mill', '"type":"text"', 'mill say', ''].map(finds)).toEqual(
    Array.from({ length: 5 }, () => true),
  )
  expect(finds('say no')).toBe(false)
})
