import { expect, test } from 'vitest'
import { readSegments } from '../../../../test/support/segments/read-segments.ts'
import { toToolInvocations } from '../../invocations/invocation-reader.ts'
import { hunyuan3 } from './hunyuan.ts'

test('the suffix of a tokenizer is part of every tag', () => {
  const text =
    '<tool_calls:6a><tool_call:6a>f<tool_sep:6a><arg_key:6a>a</arg_key:6a><arg_value:6a></tool_call> x</arg_value:6a></tool_call:6a></tool_calls:6a>'
  const { events } = readSegments({ formats: [hunyuan3({ suffix: ':6a' })] }, text.split(''))
  expect(toToolInvocations(events)).toMatchObject([
    { name: 'f', arguments: { a: '</tool_call> x' } },
  ])
})
