import { expect, test } from 'vitest'
import { createMarks, MARK_MS } from './data-loss-detector.ts'

const state = (tail: number) => ({ epoch: 1, writer: 'w', tail, log: 'l', writes: tail })

test('the least recently used marks are dropped', () => {
  const marks = createMarks(2)
  marks.set('a', state(1))
  marks.set('b', state(2))
  marks.set('a', state(3))
  marks.set('c', state(4))
  expect(marks.sessions()).toEqual(['a', 'c'])
  expect(marks.get('a')?.tail).toBe(3)
})

test('an unused mark is dropped after its time', () => {
  let now = 0
  const marks = createMarks(10, () => now)
  marks.set('a', state(1))
  now = MARK_MS - 1
  expect(marks.get('a')?.tail).toBe(1)
  now = MARK_MS
  expect(marks.get('a')).toBe(undefined)
})
