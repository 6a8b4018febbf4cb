import { expect, test } from 'vitest'
import { joinSegments } from '../../../test/support/join-segments.ts'
import { readSegments } from '../../../test/support/segments/read-segments.ts'

test('an id that was cut does not take the place of the one that came before it', () => {
  const text = '<tool_call>{"id":"a","name":"f","arguments":{},"id":"b'
  const [call] = joinSegments(readSegments({ formats: ['hermes'] }, [text]).events)
  expect(call?.metadata).toEqual({ call_id: 'a', tool_name: 'f' })
  expect(call?.end).toEqual({ complete: false })
})
