import { createTranscript, rootAgent } from 'millrace'
import type { CallBlock } from 'millrace'
import { expect, test } from 'vitest'
import { createArgumentsReader } from './shown-arguments.ts'
import { createFrameReducer } from 'millrace/testing'

/** Returns the block of a call after each message. */
function blocksAfter(messages: readonly object[]): readonly CallBlock[] {
  let transcript = createTranscript()
  const reduce = createFrameReducer()
  return messages.map((message) => {
    const line = { agent: 'a', final: true, delta: '', id: 't', name: 'write_file', ...message }
    transcript = reduce(transcript, JSON.stringify(line))
    return rootAgent(transcript)?.blocks.at(0) as CallBlock
  })
}

const status = (stage: string) => ({ type: 'tool_status', stage })

test('arguments are read with each piece and no more once they are complete', () => {
  const read = createArgumentsReader()
  const blocks = blocksAfter([
    { type: 'tool_call', final: false, delta: '{"path":"a.md",' },
    { type: 'tool_call', final: false, delta: '"content":"mill' },
    { type: 'tool_call', delta: '"}' },
    status('started'),
    status('progress'),
    { type: 'tool_result', delta: 'ok' },
  ])
  expect(new Set(blocks).size).toBe(6)
  const [first, second, whole, ...later] = blocks.map((block) => read(block, undefined))
  expect(new Set([first, second, whole]).size).toBe(3)
  expect(second?.shown?.text).toBe('mill')
  expect(whole).toMatchObject({ isWhole: true, value: { path: 'a.md', content: 'mill' } })
  for (const each of later) expect(each).toBe(whole)
})

test('edited arguments are read again', () => {
  const read = createArgumentsReader()
  const blocks = blocksAfter([{ type: 'tool_call', delta: '{"path":"a"}' }, status('started')])
  expect(blocks.map((block) => read(block, undefined).value)).toEqual([
    { path: 'a' },
    { path: 'a' },
  ])
  const edited = '{"path":"b"}'
  expect(blocks.map((block) => read(block, edited).value)).toEqual([{ path: 'b' }, { path: 'b' }])
  expect(read(blocks[1]!, undefined).value).toEqual({ path: 'a' })
})
