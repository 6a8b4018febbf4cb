import { describe, expect, test } from 'vitest'
import type { SegmentEvent } from 'millrace/segments'
import { mergeSegments } from './merge-segments.ts'

const start = (id: string): SegmentEvent => ({
  type: 'SEGMENT_START',
  segment_id: id,
  segment_type: 'text',
  payload: { metadata: {} },
})
const content = (id: string, delta: string): SegmentEvent => ({
  type: 'SEGMENT_CONTENT',
  segment_id: id,
  payload: { delta },
})
const end = (id: string): SegmentEvent => ({ type: 'SEGMENT_END', segment_id: id, payload: {} })

describe('[SEG-1] the order of events', () => {
  test('deltas are joined', () => {
    const events = [start('a'), content('a', 'x'), content('a', 'y'), end('a')]
    expect(mergeSegments(events)).toEqual({
      segments: [{ id: 'a', type: 'text', metadata: {}, content: 'xy', end: {} }],
      faults: [],
    })
  })

  test.each<[string, SegmentEvent[]]>([
    ['an empty delta of a', [start('a'), content('a', ''), end('a')]],
    ['a starts twice', [start('a'), end('a'), start('a'), end('a')]],
    ['a has no end', [start('a')]],
    ['SEGMENT_CONTENT of a, which is not open', [content('a', 'x')]],
    ['SEGMENT_CONTENT of a, which is not open', [start('a'), end('a'), content('a', 'x')]],
    ['SEGMENT_END of a, which is not open', [start('a'), end('a'), end('a')]],
    ['b starts before the end of the last one', [start('a'), start('b'), end('a'), end('b')]],
  ])('%s', (fault, events) => {
    expect(mergeSegments(events).faults).toEqual([fault])
  })

  test('segments of native calls may overlap', () => {
    const events = [start('a'), start('b'), end('a'), end('b')]
    expect(mergeSegments(events, { mayOverlap: true }).faults).toEqual([])
  })
})

describe('[SEG-2] surrogates at the edge of a delta', () => {
  test('a pair in two deltas is a fault', () => {
    const events = [start('a'), content('a', 'x\ud83d'), content('a', '\ude00'), end('a')]
    expect(mergeSegments(events).faults).toEqual(['a torn character in a'])
  })

  test('a lone surrogate is no fault', () => {
    const events = [start('a'), content('a', 'x\ud83d'), content('a', 'y\ude00'), end('a')]
    expect(mergeSegments(events).faults).toEqual([])
  })
})
