import { describe, expect, test } from 'vitest'
import type { Envelope } from '../../events/index.ts'
import { createFrameReducer } from '../../testing/frame-reducer.ts'
import { toView } from '../../testing/transcript-view.ts'
import { cutTranscript, foreignError } from './reduce-transcript.ts'
import { createTranscript, endTranscript, type Transcript } from './index.ts'

function message(type: string, delta = '', final = false, agent = 'root'): Envelope {
  return { type, agent, final, delta }
}

function reduceAll(messages: readonly Envelope[], from = createTranscript()): Transcript {
  const reduce = createFrameReducer()
  return messages.reduce((sum, one) => reduce(sum, one), from)
}

const half = reduceAll([message('meta_init', '{}', true), message('text', 'half')])

describe('an interrupted body [SSE-5]', () => {
  test('is a recoverable error, and open blocks are shown as interrupted', () => {
    const cut = cutTranscript(half)
    expect(cut.error).toMatchObject({ code: 'stream_truncated', retriable: true })
    expect(cut.status).toBe('error')
    expect(cut.agents.at(0)?.blocks.at(0)).toMatchObject({ done: true, interrupted: true })
    expect(half.agents.at(0)?.blocks.at(0)).toMatchObject({ done: false, interrupted: false })
    const healed = reduceAll([message('text', ' done', true)], half)
    expect(healed.agents.at(0)?.blocks.at(0)).toMatchObject({
      text: 'half done',
      interrupted: false,
    })
    expect([healed.status, healed.error]).toEqual(['streaming', undefined])
  })

  test('changes nothing for a run that had ended, failed, paused or was stopped', () => {
    const ends: Envelope[][] = [
      [message('meta_end', '{}', true)],
      [message('error', '{"message":"Busy."}', true)],
      [message('awaiting_frontend_tools', '[{"tool_use_id":"t"}]', true)],
      [message('meta_end', '{"stop_reason":"aborted"}', true)],
    ]
    for (const end of ends) {
      const ended = reduceAll(end, half)
      const cut = cutTranscript(ended)
      expect([cut.status, cut.error]).toEqual([ended.status, ended.error])
    }
  })

  test('twice has the effect of one, and an empty body is interrupted too', () => {
    const cut = cutTranscript(half)
    expect(toView(cutTranscript(cut))).toEqual(toView(cut))
    expect(cutTranscript(createTranscript()).status).toBe('error')
  })
})

describe('[DONE]', () => {
  test('closes open blocks of every agent', () => {
    const open = reduceAll(
      [message('text', 'a', false, 'left'), message('text', 'b', false, 'right')],
      half,
    )
    const ended = endTranscript(open)
    const blocks = [...ended.agents].flatMap((agent) => [...agent.blocks])
    expect(blocks).toHaveLength(3)
    expect(blocks.every(({ done, interrupted }) => done && interrupted)).toBe(true)
    expect(ended.status).toBe('complete')
  })

  test('changes neither completed nor unstarted agents', () => {
    const ended = endTranscript(half)
    expect(endTranscript(ended)).toEqual(ended)
    const idle = createTranscript()
    expect(endTranscript(idle)).toEqual(idle)
  })

  test('after a gap is not the end: any frame may be missing [LOG-3]', () => {
    const reduce = createFrameReducer()
    const first = reduce(createTranscript(), message('text', 'a'), 1)
    const gap = reduce(first, message('text', 'c'), 3)
    const ended = endTranscript(gap)
    expect(ended).toBe(gap)
    const healed = reduce(ended, message('text', 'b', true), 2)
    expect([healed.status, healed.gapAfter]).toEqual(['streaming', undefined])
    expect(healed.agents.at(0)?.blocks.at(0)).toMatchObject({ text: 'ab', interrupted: false })
  })
})

test('an error outside the protocol is shown by its message, and closes open blocks', () => {
  const failed = foreignError(half, 'boom')
  expect(failed.status).toBe('error')
  expect(failed.error).toEqual({
    type: 'error',
    message: 'boom',
    code: 'internal',
    retriable: false,
  })
  expect(failed.agents.at(0)?.blocks.at(0)).toMatchObject({ done: true, interrupted: true })
  expect(cutTranscript(failed).error).toBe(failed.error)
})
