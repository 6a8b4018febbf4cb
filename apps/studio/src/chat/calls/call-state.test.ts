import { createTranscript, rootAgent } from 'millrace'
import type { CallBlock } from 'millrace'
import { expect, test } from 'vitest'
import { toCallState } from './call-state.ts'
import { createFrameReducer } from 'millrace/testing'

function callAfter(...messages: readonly object[]): CallBlock {
  const lines = messages.map((message) =>
    JSON.stringify({ agent: 'a', final: true, delta: '', id: 't', name: 'tool', ...message }),
  )
  const reduce = createFrameReducer()
  const transcript = lines.reduce((before, line) => reduce(before, line), createTranscript())
  return rootAgent(transcript)?.blocks.at(0) as CallBlock
}

const going = { isPending: false, isOver: false }
const over = { isPending: false, isOver: true }

test('a call without a result runs until its run is over', () => {
  const call = callAfter({ type: 'server_tool_call' })
  expect(toCallState(call, going)).toBe('running')
  expect(toCallState(call, over)).toBe('stopped')
})

test('a call of a server tool is queued until the tool starts', () => {
  const whole = { type: 'tool_call' }
  const status = (stage: string) => ({ type: 'tool_status', stage })
  const state = (...messages: readonly object[]) => toCallState(callAfter(...messages), going)
  expect(state({ ...whole, final: false })).toBe('writing')
  expect(state(whole)).toBe('queued')
  expect(state(whole, status('approval_requested'), status('approved'))).toBe('queued')
  for (const stage of ['started', 'progress', 'succeeded']) {
    expect(state(whole, status(stage))).toBe('running')
  }
})

test('an answered call no longer waits, until its run is over', () => {
  const call = callAfter({ type: 'tool_call' }, { type: 'tool_status', stage: 'answered' })
  expect(toCallState(call, going)).toBe('answered')
  expect(toCallState(call, over)).toBe('stopped')
  const done = callAfter(
    { type: 'tool_call' },
    { type: 'tool_status', stage: 'answered' },
    { type: 'tool_result', delta: 'yes' },
  )
  expect(toCallState(done, going)).toBe('done')
})

test('a result counts whether the run is over or not', () => {
  const done = callAfter({ type: 'server_tool_call' }, { type: 'server_tool_result' })
  const failed = callAfter({ type: 'tool_call' }, { type: 'tool_result', is_error: true })
  for (const where of [going, over]) {
    expect(toCallState(done, where)).toBe('done')
    expect(toCallState(failed, where)).toBe('failed')
  }
})

test('an abandoned call is unanswered and not failed', () => {
  const asked = { type: 'tool_status', stage: 'approval_requested' }
  const given = { type: 'tool_result', is_error: true }
  const state = (...messages: readonly object[]) =>
    toCallState(callAfter({ type: 'tool_call' }, ...messages), over)
  expect(state(asked, given)).toBe('unanswered')
  expect(state({ ...given, name: 'user_confirm' })).toBe('failed')
  expect(state(asked, { type: 'tool_status', stage: 'failed' }, given)).toBe('failed')
  expect(state(asked, { type: 'tool_status', stage: 'refused' }, given)).toBe('denied')
  expect(state(asked, { type: 'tool_status', stage: 'expired' }, given)).toBe('expired')
  const question = callAfter({ type: 'tool_call', name: 'user_confirm' }, given)
  expect(toCallState(question, over)).toBe('unanswered')
})

test('a truncated call or result is interrupted, and a result before its call is a result', () => {
  const cut = callAfter({ type: 'tool_call', delta: '{"a":', interrupted: true })
  expect(toCallState(cut, over)).toBe('interrupted')
  const half = callAfter({ type: 'tool_call' }, { type: 'tool_result', interrupted: true })
  expect(toCallState(half, over)).toBe('interrupted')
  const early = callAfter({ type: 'tool_result' }, { type: 'tool_call' })
  expect(toCallState(early, over)).toBe('done')
})
