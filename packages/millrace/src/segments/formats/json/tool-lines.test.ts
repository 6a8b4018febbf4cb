import { expect, test } from 'vitest'
import { joinSegments } from '../../../../test/support/segments/join-segments.ts'
import { readSegments } from '../../../../test/support/segments/read-segments.ts'
import { toolLines } from './known-tools.ts'

function read(text: string): unknown[] {
  const { events } = readSegments({ formats: [toolLines(['find', 'find_all'])] }, text.split(''))
  return joinSegments(events).map(({ type, content, metadata }) => [type, content, metadata])
}

test('a known name alone on a line, with an object after it, is a call', () => {
  expect(read('Let me look.\nfind\n{"a": 1}\nfind_all\r\n{}')).toEqual([
    ['text', 'Let me look.\n', {}],
    ['tool_call', '{"a": 1}', { tool_name: 'find' }],
    ['text', '\n', {}],
    ['tool_call', '{}', { tool_name: 'find_all' }],
  ])
})

test.each([
  'find it\n{}',
  'I find\n{}',
  'find\nit',
  'find_none\n{}',
  '```\nfind\n{}\n```',
  'find\n',
  'find',
])('%j is text', (text) => {
  expect(read(text)).toEqual([['text', text, {}]])
})
