import { describe, expect, test } from 'vitest'
import { checkModelEvents } from '../../../test/support/models/check-model-events.ts'
import { endOf, noticesOf } from '../../../test/support/models/anthropic-events.ts'
import { loadRecordings, type Recording } from '../../../test/support/models/recordings.ts'
import { isProviderEnd, type ModelEvent } from '../../events/index.ts'
import type { JsonObject } from '../../json/index.ts'
import { createSseDecoder } from '../../sse/index.ts'
import { createMessageReader } from './reader/message-reader.ts'

const recordings = loadRecordings()
const synthetic = loadRecordings('synthetic')

/** The SDK loses the unfinished string of these recordings, so its message cannot be compared. */
const lossy = /incomplete_partial_json|out_of_order/

function framesOf(body: string): JsonObject[] {
  const frames: JsonObject[] = []
  const onEvent = ({ data }: { data: string }) => frames.push(JSON.parse(data) as JsonObject)
  createSseDecoder({ onEvent }).feed(body)
  return frames
}

function read(frames: readonly JsonObject[]): ModelEvent[] {
  const reader = createMessageReader()
  const events = frames.flatMap((frame) => reader.feed(frame))
  events.push(...reader.end({ outcome: 'interrupted' }))
  return events
}

function find(name: string): readonly ModelEvent[] {
  const recording = recordings.find((candidate) => candidate.name === name)
  return read(framesOf(recording?.body ?? ''))
}

function goldenOf({ golden }: Recording) {
  return golden?.message ?? golden?.messages?.[0]?.message
}

const title = recordings.length === 0 ? 'recordings (absent, so nothing is tested)' : 'recordings'

describe.skipIf(recordings.length === 0)(title, () => {
  const usable = recordings.filter(({ name, golden }) => golden?.ok === true && !lossy.test(name))

  test('the final message equals that of the official SDK', () => {
    expect(usable.length).toBeGreaterThan(200)
    for (const recording of usable) {
      const events = read(framesOf(recording.body))
      checkModelEvents(events)
      const { outcome, content, stopReason, usage } = endOf(events)
      const golden = goldenOf(recording)
      expect(
        { isWhole: isProviderEnd(outcome), content, stopReason, usage },
        recording.name,
      ).toEqual({
        isWhole: true,
        content: golden?.content,
        stopReason: golden?.stop_reason,
        usage: golden?.usage,
      })
    }
  })

  test('an error event fails the message with its type', () => {
    const { outcome, failure } = endOf(find('coder+aibridge__stream_error__streaming'))
    expect({ outcome, failure }).toEqual({
      outcome: 'failed',
      failure: { type: 'api_error', message: 'Overloaded', retriable: true },
    })
  })

  test('a second message_start is ignored with the same id and fails the message with another', () => {
    const same = find('vercel+ai__duplicate-message-start')
    expect(endOf(same).outcome).toBe('finished')
    expect(noticesOf(same)).toHaveLength(1)
    const spliced = endOf(find('vercel+ai__spliced-message-start'))
    expect(spliced.failure?.type).toBe('spliced_message')
    expect(spliced.content.map((block) => block.type)).toEqual(['thinking'])
  })
})

describe.skipIf(synthetic.length === 0)('synthetic streams', () => {
  test('fulfil the port and end as expected', () => {
    const outcomes = Object.fromEntries(
      synthetic
        .filter(({ name }) => !name.includes('malformed_json_frame'))
        .map(({ name, body }) => {
          const events = read(framesOf(body))
          checkModelEvents(events)
          const { outcome } = endOf(events)
          return [name, isProviderEnd(outcome) ? 'finished' : outcome]
        }),
    )
    for (const [name, outcome] of Object.entries(outcomes)) {
      const expected = name.includes('cut_')
        ? 'interrupted'
        : name.includes('error_')
          ? 'failed'
          : 'finished'
      expect(outcome, name).toBe(expected)
    }
  })
})
