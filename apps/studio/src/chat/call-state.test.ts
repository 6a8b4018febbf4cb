import { createTranscript, decodeEnvelope, reduceTranscript, rootAgent } from 'millrace'
import type { CallBlock } from 'millrace'
import { expect, test } from 'vitest'
import { toCallState } from './call-state.ts'

function callAfter(...messages: readonly object[]): CallBlock {
  const lines = messages.map((message) =>
    JSON.stringify({ agent: 'a', final: true, delta: '', id: 't', name: 'tool', ...message }),
  )
  const transcript = lines.reduce(
    (before, line) => reduceTranscript(before, decodeEnvelope(line)),
    createTranscript(),
  )
  return rootAgent(transcript)?.blocks.at(0) as CallBlock
}

const going = { waits: false, isOver: false }
const over = { waits: false, isOver: true }

test('a call without a result runs until its run is over', () => {
  const call = callAfter({ type: 'server_tool_call' })
  expect(toCallState(call, going)).toBe('running')
  expect(toCallState(call, over)).toBe('stopped')
})

test('a result counts, whether the run is over or not', () => {
  const done = callAfter({ type: 'server_tool_call' }, { type: 'server_tool_result' })
  const failed = callAfter({ type: 'tool_call' }, { type: 'tool_result', is_error: true })
  for (const where of [going, over]) {
    expect(toCallState(done, where)).toBe('done')
    expect(toCallState(failed, where)).toBe('failed')
  }
})

test('a call that was given up while it waited was not answered, and is no failure', () => {
  const asked = { type: 'tool_status', stage: 'approval_requested' }
  const given = { type: 'tool_result', is_error: true }
  const state = (...messages: readonly object[]) =>
    toCallState(callAfter({ type: 'tool_call' }, ...messages), over)
  expect(state(asked, given)).toBe('unanswered')
  expect(state({ ...given, name: 'user_confirm' })).toBe('failed')
  expect(state(asked, { type: 'tool_status', stage: 'failed' }, given)).toBe('failed')
  expect(state(asked, { type: 'tool_status', stage: 'refused' }, given)).toBe('refused')
  const question = callAfter({ type: 'tool_call', name: 'user_confirm' }, given)
  expect(toCallState(question, over)).toBe('unanswered')
})
