import { describe, expect, test } from 'vitest'
import { feedings } from '../../../../test/support/cut-text.ts'
import { joinSegments } from '../../../../test/support/segments/join-segments.ts'
import { readSegments } from '../../../../test/support/segments/read-segments.ts'

test('an id that was cut does not replace an earlier id', () => {
  const text = '<tool_call>{"id":"a","name":"f","arguments":{},"id":"b'
  const [call] = joinSegments(readSegments({ formats: ['hermes'] }, [text]).events)
  expect(call?.metadata).toEqual({ call_id: 'a', tool_name: 'f' })
  expect(call?.end).toEqual({ complete: false })
})

describe('[SEG-17] JSON that ends before its call is complete', () => {
  test.each([
    ['{"name":"f","arguments":{"a":1}</tool_call>', { repaired: true }],
    ['{"name":"f","arguments":{"a":1} \n</tool_call>', { repaired: true }],
    ['{"name":"f","arguments":"{\\"a\\":1}"</tool_call>', { repaired: true }],
    ['{"arguments":{"a":1},"name":"f"</tool_call>', { repaired: true }],
    ['{"name":"f","arguments":{"a":1},"more":[{"b":2</tool_call>', { repaired: true }],
    [
      '{"name":"f","arguments":{"a":1},"id":"x"</tool_call>',
      { metadata: { call_id: 'x' }, repaired: true },
    ],
    ['{"name":"f","arguments":{"a":1}}</tool_call>', {}],
    ['{"name":"f","arguments":{"a":1}', { complete: false }],
  ])('%s', (text, end) => {
    for (const pieces of feedings(`<tool_call>${text}`, [20, 30])) {
      const calls = joinSegments(readSegments({ formats: ['hermes'] }, pieces).events)
      expect(calls).toMatchObject([{ type: 'tool_call', content: '{"a":1}' }])
      expect(calls[0]?.end).toEqual(end)
    }
  })

  test('a call without usable arguments stays malformed', () => {
    const text = '<tool_call>[{"name":"f","arguments":{}},{"name":"g","arguments":1</tool_call>'
    const calls = joinSegments(readSegments({ formats: ['hermes'] }, [text]).events)
    expect(calls.map(({ end }) => end)).toEqual([{}, { malformed: true }])
  })

  test('the last call of an object has its name, if the name is a key', () => {
    const text = '<|tools_prefix|>[{"f":{"a":1},"g":{"a":2}<|tools_suffix|>.'
    const calls = joinSegments(readSegments({ formats: ['apertus'] }, [text]).events)
    expect(calls.map(({ end }) => end)).toEqual([{}, { repaired: true }, {}])
  })
})
