import { createTranscript, reduceTranscript, rootAgent } from 'millrace'
import { expect, test } from 'vitest'
import { isRunOver } from './is-run-over.ts'

function play(...messages: readonly (readonly [type: string, payload: object])[]) {
  const transcript = messages.reduce(
    (before, [type, payload]) =>
      reduceTranscript(before, {
        type,
        agent: 'a',
        final: true,
        delta: JSON.stringify(payload),
      }),
    createTranscript(),
  )
  return rootAgent(transcript)!
}

const begin = ['meta_init', {}] as const
const end = (reason: string) => ['meta_end', { stop_reason: reason }] as const

test.each(['end_turn', 'aborted', 'error', 'max_tokens'])(
  'a run that ended with %s is over',
  (reason) => {
    expect(isRunOver(play(begin, end(reason)), 0)).toBe(true)
  },
)

test('a run that goes on or pauses is not over, until the next one begins', () => {
  expect(isRunOver(play(begin), 0)).toBe(false)
  expect(isRunOver(play(begin, end('awaiting_frontend_tools')), 0)).toBe(false)
  const next = play(begin, end('awaiting_approval'), begin)
  expect([0, 1].map((position) => isRunOver(next, position))).toEqual([true, false])
})
