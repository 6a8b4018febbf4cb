import { expect, test } from 'vitest'
import { readShownInput } from '../arguments/input-shapes.ts'
import { readShownResult } from '../results/result-shapes.ts'
import { toShortInput, toShortResult } from './call-summary.ts'

const inputOf = (name: string, input: unknown): string =>
  toShortInput(input, readShownInput(name, input, true))
const resultOf = (text: string, images = 0, given?: unknown): string =>
  toShortResult(
    { text, images: Array.from({ length: images }, () => ({ src: '', mediaType: '' })) },
    readShownResult(text),
    given,
  )

test('summarizes arguments', () => {
  expect(inputOf('get_weather', { city: 'Lisbon' })).toBe('Lisbon')
  expect(inputOf('look', { city: 'Oslo', days: 3, of: [1], note: null })).toBe(
    'city: Oslo, days: 3, of: …, note: null',
  )
  expect(inputOf('write_file', { path: 'a.md', content: 'x' })).toBe('a.md')
  expect(inputOf('run_bash', { command: '\n  ls -l\ncat' })).toBe('ls -l')
  for (const input of [undefined, null, 'x', [1], {}]) expect(inputOf('x', input)).toBe('')
  expect(inputOf('x', { a: 'y'.repeat(1_000_000) }).length).toBeLessThan(200)
})

test('summarizes results in one line', () => {
  expect(resultOf('\n\nfirst\nsecond')).toBe('first')
  expect(resultOf('{\n  "sky": "clear",\n "at": [1] }')).toBe('sky: clear, at: …')
  expect(resultOf('{"city":"Oslo","sky":"clear"}', 0, { city: 'Oslo' })).toBe('clear')
  expect(resultOf('{ "city": "Oslo" }', 0, { city: 'Oslo' })).toBe('{ "city": "Oslo" }')
  expect(resultOf('[1,\n 2]')).toBe('[1, 2]')
  expect(resultOf('{"__proto__":{"a":1},"b":2}')).toBe('__proto__: …, b: 2')
  expect(resultOf('', 2)).toBe('2 images')
  expect(resultOf('')).toBe('')
  expect(resultOf('{"stdout":"","stderr":"","exit_code":0}')).toBe('Exit code 0')
  expect(resultOf('[{"type":"text","text":"one\\ntwo"}]')).toBe('one')
  expect(resultOf('[{"type":"web_search_result"}]')).toBe('1 page')
  expect(resultOf('z'.repeat(1_000_000)).length).toBeLessThan(200)
})
