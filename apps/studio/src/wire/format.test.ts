import { expect, test } from 'vitest'
import { toOffset, toPreview } from './format.ts'

test('times are short and distinguish adjacent frames', () => {
  const times = [12.4, 1_234, 105_320, 119_996, 1_234_567, 7_384_050]
  expect(times.map(toOffset)).toEqual([
    '+12 ms',
    '+1.23 s',
    '+1:45.32',
    '+2:00.00',
    '+20:34.57',
    '+2:03:04.05',
  ])
})

test('a preview is the beginning of the delta', () => {
  expect(toPreview('{"type":"text","agent":"a","final":false,"delta":"Hi"}')).toBe('Hi')
  expect(toPreview('{"type":"text","agent":"a","final":true,"delta":""}')).toBe('(end)')
  expect(toPreview('{"type":"x","delta":"y","id":"t1","name":"n"}')).toBe('y')
  expect(toPreview(JSON.stringify({ delta: '{"a":1}' }))).toBe('{"a":1}')
  expect(toPreview('[DONE]')).toBe('')
})

test('a preview of a status is the tool, its stage and its text', () => {
  const status = (stage: string, delta = '') =>
    toPreview(
      JSON.stringify({
        type: 'tool_status',
        agent: 'a',
        final: true,
        delta,
        id: 't',
        name: 'get_time',
        stage,
      }),
    )
  expect(status('succeeded')).toBe('get_time succeeded')
  expect(status('progress', 'Box 1 of 3')).toBe('get_time progress: Box 1 of 3')
  expect(status('refused', 'x'.repeat(1_000))).toMatch(/^get_time refused: x{160}$/)
  expect(toPreview('{"type":"tool_status","agent":"a","final":true,"delta":""}')).toBe('')
})
