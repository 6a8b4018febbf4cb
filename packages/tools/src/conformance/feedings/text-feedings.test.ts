import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { NativeDelta } from 'millrace/segments'
import { nativeFeedings, textFeedings } from './text-feedings.ts'

test('every feeding is the complete text', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary' }), { maxLength: 5 }), (own) => {
      for (const { name, pieces } of textFeedings(own)) {
        expect([name, [...pieces].join('')]).toEqual([name, own.join('')])
      }
    }),
    { numRuns: 20 },
  )
})

test('a short text is split at every position, a long one at evenly spaced positions', () => {
  const splits = (length: number): number[] =>
    [...textFeedings(['x'.repeat(length)])]
      .filter(({ name }) => name.startsWith('split'))
      .map(({ name }) => Number(name.slice('split at '.length)))
  expect(splits(5)).toEqual([1, 2, 3, 4])
  const long = splits(100_001)
  expect(long.length).toBeLessThanOrEqual(2000)
  expect(long.at(-1)).toBeGreaterThan(99_900)
})

test('every feeding of native deltas has the same text and arguments, with id and name once', () => {
  const own: NativeDelta[] = [
    { content: 'abc' },
    {
      content: 'd',
      tool_calls: [{ index: 0, call_id: 'c1', name: 'f', arguments_delta: '{"a":1}' }],
    },
    {
      tool_calls: [
        { index: 1, call_id: 'c2', name: 'g' },
        { index: 0, arguments_delta: ' ' },
      ],
    },
  ]
  for (const { name, pieces } of nativeFeedings(own)) {
    const deltas = [...pieces]
    const calls = deltas.flatMap((delta) => delta.tool_calls ?? [])
    const argumentsOf = (index: number): string =>
      calls
        .filter((call) => call.index === index)
        .map((call) => call.arguments_delta ?? '')
        .join('')
    expect([
      name,
      deltas.map(({ content }) => content ?? '').join(''),
      argumentsOf(0),
      argumentsOf(1),
      calls.flatMap((call) => (call.name === undefined ? [] : [`${call.call_id} ${call.name}`])),
    ]).toEqual([name, 'abcd', '{"a":1} ', '', ['c1 f', 'c2 g']])
  }
})
