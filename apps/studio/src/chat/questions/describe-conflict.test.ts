import { createTranscript, rootAgent } from 'millrace'
import type { CallBlock } from 'millrace'
import { expect, test } from 'vitest'
import type { SentCommand } from '../../session/sent-commands.ts'
import { describeConflict } from './describe-conflict.ts'
import { createFrameReducer } from 'millrace/testing'

function callAfter(...messages: readonly object[]): CallBlock {
  const lines = [{ type: 'tool_call' }, ...messages].map((message) =>
    JSON.stringify({ agent: 'a', final: true, delta: '', id: 't', name: 'tool', ...message }),
  )
  const reduce = createFrameReducer()
  const transcript = lines.reduce((before, line) => reduce(before, line), createTranscript())
  return rootAgent(transcript)?.blocks.at(0) as CallBlock
}

const answered = (delta: string) => callAfter({ type: 'tool_result', delta })
const staged = (stage: string, ...after: readonly object[]) =>
  callAfter({ type: 'tool_status', stage }, ...after)
const failed = { type: 'tool_result', is_error: true, delta: 'Nobody answered.' }

function say(block: CallBlock, sent: Partial<SentCommand>, edited?: string): string | undefined {
  return describeConflict({
    block,
    edited,
    sent: { kind: 'answer', content: '', isRejected: false, ...sent },
  })
}

test('a rejected answer is shown with the accepted one', () => {
  const late = 'Answered elsewhere: yes. Your “no” came too late.'
  expect(say(answered('yes'), { content: 'no' })).toBe(late)
  expect(say(answered('yes'), { content: 'no', isRejected: true })).toBe(late)
  expect(say(answered('yes'), { kind: 'fail' })).toBe(
    'Answered elsewhere: yes. Your report came too late.',
  )
  expect(say(callAfter(failed), { content: 'no', isRejected: true })).toBe(
    'The call ended without an answer. Your “no” came too late.',
  )
  expect(say(answered('y'.repeat(5_000)), { content: 'no' })?.length).toBeLessThan(150)
})

test('a rejected answer is shown before the accepted one arrives', () => {
  expect(say(staged('answered'), { content: 'no', isRejected: true })).toBe(
    'Answered elsewhere. Your “no” came too late.',
  )
  expect(say(staged('answered'), { content: 'no' })).toBeUndefined()
})

test('an accepted or undecided answer shows nothing', () => {
  expect(say(answered('no'), { content: 'no' })).toBeUndefined()
  expect(say(answered('no'), { content: 'no', isRejected: true })).toBeUndefined()
  expect(say(callAfter(), { content: 'no', isRejected: true })).toBeUndefined()
  expect(say(callAfter(failed), { kind: 'fail', isRejected: true })).toBeUndefined()
  expect(say(callAfter(failed), { content: 'no' })).toBeUndefined()
  expect(say(answered('no (changed by a person)'), { content: 'no' }, '{}')).toBeUndefined()
  expect(
    describeConflict({ block: answered('yes'), edited: undefined, sent: undefined }),
  ).toBeUndefined()
})

test('a rejected decision is shown with the accepted one', () => {
  for (const stage of ['approved', 'progress', 'succeeded', 'failed']) {
    expect(say(staged(stage), { kind: 'deny' })).toBe(
      'Decided elsewhere: approved. Your denial came too late.',
    )
  }
  expect(say(staged('expired'), { kind: 'approve', isRejected: true })).toBe(
    'The request expired. Your approval came too late.',
  )
  expect(say(staged('refused'), { kind: 'approve' })).toBe(
    'Decided elsewhere: denied. Your approval came too late.',
  )
  expect(say(staged('approved'), { kind: 'approve', isRejected: true }, '{}')).toBe(
    'Decided elsewhere: approved with changes. Your approval came too late.',
  )
  expect(say(staged('approval_requested', failed), { kind: 'change', isRejected: true })).toBe(
    'The call ended without a decision. Your approval with changes came too late.',
  )
})

test('an accepted decision, or an equal one, shows nothing', () => {
  expect(say(staged('approval_requested'), { kind: 'deny', isRejected: true })).toBeUndefined()
  expect(say(staged('refused'), { kind: 'deny', isRejected: true })).toBeUndefined()
  expect(say(staged('approved'), { kind: 'approve' })).toBeUndefined()
  expect(say(staged('succeeded'), { kind: 'change' }, '{}')).toBeUndefined()
})
