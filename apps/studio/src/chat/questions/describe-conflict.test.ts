import { createTranscript, decodeEnvelope, reduceTranscript, rootAgent } from 'millrace'
import type { CallBlock } from 'millrace'
import { expect, test } from 'vitest'
import type { SentWord } from '../../session/sent-commands.ts'
import { describeLate } from './describe-conflict.ts'

function callAfter(...messages: readonly object[]): CallBlock {
  const lines = [{ type: 'tool_call' }, ...messages].map((message) =>
    JSON.stringify({ agent: 'a', final: true, delta: '', id: 't', name: 'tool', ...message }),
  )
  const transcript = lines.reduce(
    (before, line) => reduceTranscript(before, decodeEnvelope(line)),
    createTranscript(),
  )
  return rootAgent(transcript)?.blocks.at(0) as CallBlock
}

const answered = (delta: string) => callAfter({ type: 'tool_result', delta })
const staged = (stage: string, ...after: readonly object[]) =>
  callAfter({ type: 'tool_status', stage }, ...after)
const failed = { type: 'tool_result', is_error: true, delta: 'Nobody answered.' }

function say(block: CallBlock, sent: Partial<SentWord>, edited?: string): string | undefined {
  return describeLate({
    block,
    edited,
    sent: { deed: 'answer', content: '', isLate: false, ...sent },
  })
}

test('an answer that did not count is told with the one that did', () => {
  const late = 'Answered elsewhere: yes. Your “no” came too late.'
  expect(say(answered('yes'), { content: 'no' })).toBe(late)
  expect(say(answered('yes'), { content: 'no', isLate: true })).toBe(late)
  expect(say(answered('yes'), { deed: 'fail' })).toBe(
    'Answered elsewhere: yes. Your report came too late.',
  )
  expect(say(callAfter(failed), { content: 'no', isLate: true })).toBe(
    'It ended without an answer. Your “no” came too late.',
  )
  expect(say(answered('y'.repeat(5_000)), { content: 'no' })?.length).toBeLessThan(150)
})

test('a late answer is told while the one that counted is not shown yet', () => {
  expect(say(staged('answered'), { content: 'no', isLate: true })).toBe(
    'Answered elsewhere. Your “no” came too late.',
  )
  expect(say(staged('answered'), { content: 'no' })).toBeUndefined()
})

test('nothing is said of an answer that counted, or of which nothing is known yet', () => {
  expect(say(answered('no'), { content: 'no' })).toBeUndefined()
  expect(say(answered('no'), { content: 'no', isLate: true })).toBeUndefined()
  expect(say(callAfter(), { content: 'no', isLate: true })).toBeUndefined()
  expect(say(callAfter(failed), { deed: 'fail', isLate: true })).toBeUndefined()
  expect(say(callAfter(failed), { content: 'no' })).toBeUndefined()
  expect(say(answered('no (changed by a person)'), { content: 'no' }, '{}')).toBeUndefined()
  expect(
    describeLate({ block: answered('yes'), edited: undefined, sent: undefined }),
  ).toBeUndefined()
})

test('a decision that did not count is told with the one that did', () => {
  for (const stage of ['approved', 'progress', 'succeeded', 'failed']) {
    expect(say(staged(stage), { deed: 'refuse' })).toBe(
      'Decided elsewhere: approved. Your refusal came too late.',
    )
  }
  expect(say(staged('expired'), { deed: 'approve', isLate: true })).toBe(
    'The request expired. Your approval came too late.',
  )
  expect(say(staged('refused'), { deed: 'approve' })).toBe(
    'Decided elsewhere: refused. Your approval came too late.',
  )
  expect(say(staged('approved'), { deed: 'approve', isLate: true }, '{}')).toBe(
    'Decided elsewhere: approved with changes. Your approval came too late.',
  )
  expect(say(staged('approval_requested', failed), { deed: 'change', isLate: true })).toBe(
    'It ended without a decision. Your approval with changes came too late.',
  )
})

test('nothing is said of a decision that counted, or that both have made', () => {
  expect(say(staged('approval_requested'), { deed: 'refuse', isLate: true })).toBeUndefined()
  expect(say(staged('refused'), { deed: 'refuse', isLate: true })).toBeUndefined()
  expect(say(staged('approved'), { deed: 'approve' })).toBeUndefined()
  expect(say(staged('succeeded'), { deed: 'change' }, '{}')).toBeUndefined()
})
