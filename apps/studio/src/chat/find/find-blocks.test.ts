import { createTranscript } from 'millrace'
import type { Transcript } from 'millrace'
import { expect, test } from 'vitest'
import { pathToBlock } from '../rows/path-to-block.ts'
import { findBlocks } from './find-blocks.ts'
import { createFrameReducer } from 'millrace/testing'

function read(messages: readonly object[]): Transcript {
  const reduce = createFrameReducer()
  return messages.reduce<Transcript>(
    (transcript, message, index) =>
      reduce(
        transcript,
        JSON.stringify({ agent: 'root', final: true, delta: '', ...message }),
        index + 1,
      ),
    createTranscript(),
  )
}

const transcript = read([
  { type: 'meta_init', delta: JSON.stringify({ user_query: 'Where is the WHEEL?' }) },
  { type: 'text', delta: 'At the brook.' },
  { type: 'tool_call', id: 'c', name: 'spawn', delta: '{"task":"look"}' },
  {
    type: 'meta_init',
    agent: 'sub',
    delta: JSON.stringify({
      user_query: 'look',
      parent_agent_uuid: 'root',
      parent_tool_use_id: 'c',
    }),
  },
  { type: 'tool_call', agent: 'sub', id: 'd', name: 'see', delta: '{}' },
  { type: 'tool_result', agent: 'sub', id: 'd', name: 'see', delta: 'A wheel turns.' },
])

test('text is found in prompts, answers, calls and results, ignoring case', () => {
  expect(findBlocks(transcript, 'wheel')).toEqual([
    { agent: 'root', position: 0 },
    { agent: 'sub', position: 0 },
  ])
  expect(findBlocks(transcript, 'task')).toEqual([{ agent: 'root', position: 1 }])
  expect(findBlocks(transcript, ' ')).toEqual([])
})

test('the path to a block of a sub-agent includes the call that spawned it', () => {
  expect(pathToBlock(transcript, { agent: 'sub', position: 0 })).toEqual([
    { agent: 'root', position: 1 },
    { agent: 'sub', position: 0 },
  ])
})
