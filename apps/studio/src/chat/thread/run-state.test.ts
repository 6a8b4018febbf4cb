import { createTranscript, endTranscript, rootAgent } from 'millrace'
import { expect, test } from 'vitest'
import { hasEndedWithoutEndFrame, isRunOver } from './run-state.ts'
import { createFrameReducer } from 'millrace/testing'

type Message = readonly [type: string, payload: object]

function toTranscript(...messages: readonly Message[]) {
  const reduce = createFrameReducer()
  return messages.reduce(
    (before, [type, payload]) =>
      reduce(before, {
        type,
        agent: 'a',
        final: true,
        delta: JSON.stringify(payload),
      }),
    createTranscript(),
  )
}

const play = (...messages: readonly Message[]) => rootAgent(toTranscript(...messages))!

const begin = ['meta_init', {}] as const
const ask = ['awaiting_approval', { tools: [{ tool_use_id: 't', name: 'grind' }] }] as const
const end = (reason: string) => ['meta_end', { stop_reason: reason }] as const

test.each(['end_turn', 'aborted', 'error', 'max_tokens'])(
  'a run that ended with %s is over',
  (reason) => {
    expect(isRunOver(play(begin, end(reason)), 0)).toBe(true)
  },
)

test('a running or paused run is not over until the next one begins', () => {
  expect(isRunOver(play(begin), 0)).toBe(false)
  expect(isRunOver(play(begin, end('awaiting_frontend_tools')), 0)).toBe(false)
  const next = play(begin, end('awaiting_approval'), begin)
  expect([0, 1].map((position) => isRunOver(next, position))).toEqual([true, false])
})

test('a stream that ends without an end frame ends its run, one that continues or waits does not', () => {
  const failed = toTranscript(begin, ['error', { message: 'no' }])
  expect(hasEndedWithoutEndFrame(endTranscript(createTranscript()), true)).toBe(false)
  expect(hasEndedWithoutEndFrame(toTranscript(begin), true)).toBe(false)
  expect(hasEndedWithoutEndFrame(endTranscript(toTranscript(begin)), false)).toBe(true)
  expect(hasEndedWithoutEndFrame(endTranscript(toTranscript(begin, ask)), true)).toBe(false)
  expect(
    hasEndedWithoutEndFrame(
      endTranscript(toTranscript(begin, ask, end('awaiting_approval'))),
      true,
    ),
  ).toBe(false)
  expect([true, false].map((isAtRest) => hasEndedWithoutEndFrame(failed, isAtRest))).toEqual([
    true,
    false,
  ])
})

test('a run that continues after a pause without an end frame is over with the stream', () => {
  const paused = toTranscript(begin, ask, end('awaiting_approval'))
  const goesOn = createFrameReducer()(paused, {
    type: 'tool_result',
    agent: 'a',
    final: true,
    delta: '',
    id: 't',
    name: 'grind',
  })
  const over = endTranscript(goesOn)
  expect([true, false].map((isAtRest) => hasEndedWithoutEndFrame(over, isAtRest))).toEqual([
    true,
    false,
  ])
  expect(hasEndedWithoutEndFrame(paused, true)).toBe(false)
})
