import { describe, expect, test } from 'vitest'
import {
  blockStart,
  blockStop,
  endOf,
  messageEnd,
  messageStart,
  readEvents,
  textBlock,
} from '../../../test/support/models/anthropic-events.ts'
import { readChecked as read } from '../../../test/support/models/check-model-events.ts'
import type { JsonObject } from '../../json/index.ts'
import type { MessageCut } from '../stream/index.ts'

describe('the end of a message', () => {
  test.each([
    ['end_turn', 'finished', 'none'],
    ['tool_use', 'finished', 'none'],
    ['stop_sequence', 'finished', 'none'],
    ['never_heard_of', 'finished', 'none'],
    ['refusal', 'refused', 'none'],
    ['max_tokens', 'truncated', 'continue'],
    ['model_context_window_exceeded', 'truncated', 'none'],
    ['pause_turn', 'paused', 'continue'],
    ['compaction', 'paused', 'continue'],
  ])('%s: %s, retry %s', (stopReason, outcome, retry) => {
    const end = endOf(read(messageStart(), textBlock(0, 'a'), messageEnd(stopReason)))
    expect(end).toMatchObject({ stopReason, outcome, retry })
  })

  test('is retriable before the first block and can be continued after it, if the cause is transient', () => {
    const retry = (events: JsonObject[], cut: MessageCut) => endOf(readEvents(events, cut)).retry
    const begun = [messageStart(), ...textBlock(0, 'a')]
    const lasting = { type: 'x', message: 'y', retriable: false }
    expect(retry([], { outcome: 'interrupted' })).toBe('request')
    expect(retry([messageStart()], { outcome: 'interrupted' })).toBe('request')
    expect(retry(begun, { outcome: 'interrupted' })).toBe('continue')
    expect(retry(begun, { outcome: 'failed', failure: lasting })).toBe('none')
    expect(retry([], { outcome: 'failed', failure: { ...lasting, retriable: true } })).toBe(
      'request',
    )
    expect(retry(begun, { outcome: 'aborted' })).toBe('none')
  })

  test('has the other API fields in its details, with the last non-null value', () => {
    const start = messageStart({
      container: null,
      type: 'message',
      role: 'assistant',
      new_field: 1,
    })
    const delta = { stop_reason: 'stop_sequence', stop_sequence: 'END', container: { id: 'c' } }
    const late = { delta: { stop_details: null, new_field: 2 }, context_management: { edits: [] } }
    const out = read(start, [
      { type: 'message_delta', delta },
      { type: 'message_delta', ...late },
      { type: 'message_stop' },
    ])
    expect(endOf(out).details).toEqual({
      stop_sequence: 'END',
      container: { id: 'c' },
      new_field: 2,
      context_management: { edits: [] },
    })
    expect('details' in endOf(read(messageStart(), messageEnd()))).toBe(false)
  })
})

test('the model of a fallback is in the details', () => {
  const hop = (to: string) =>
    blockStart(0, { type: 'fallback', from: { model: 'a' }, to: { model: to } })
  const out = read(messageStart(), hop('b'), blockStop(0), hop('c'), blockStop(0), messageEnd())
  expect(endOf(out).details).toEqual({ model: 'c' })
})

describe('usage', () => {
  const usageOf = (...usages: JsonObject[]) =>
    endOf(
      readEvents([
        messageStart({ usage: usages[0] ?? {} }),
        ...usages.slice(1).flatMap((usage) => [{ type: 'message_delta', usage }]),
        { type: 'message_stop' },
      ]),
    ).usage

  test('replaces values by later ones except null, and keeps fields of the start', () => {
    const split = { ephemeral_5m_input_tokens: 4 }
    expect(
      usageOf(
        { input_tokens: 612, output_tokens: 1, cache_creation: split, speed: null },
        { input_tokens: 404_500, output_tokens: 20 },
        { input_tokens: 28, output_tokens: null, cache_creation: null, iterations: [] },
      ),
    ).toEqual({
      input_tokens: 28,
      output_tokens: 20,
      cache_creation: split,
      speed: null,
      iterations: [],
    })
  })

  test('merges nested counts by the same rule and replaces lists', () => {
    const before = { web_search_requests: 1, web_fetch_requests: 2 }
    const usage = usageOf(
      { server_tool_use: before, output_tokens_details: null, iterations: [1, 2] },
      {
        server_tool_use: { web_search_requests: 3, web_fetch_requests: null },
        output_tokens_details: { thinking_tokens: 7 },
        iterations: [{ type: 'message', output_tokens: 9 }],
      },
    )
    expect(usage).toMatchObject({
      server_tool_use: { web_search_requests: 3, web_fetch_requests: 2 },
      output_tokens_details: { thinking_tokens: 7 },
      iterations: [{ type: 'message', output_tokens: 9 }],
    })
  })

  test('is zero for a message without usage', () => {
    const events = [messageStart({ usage: null }), { type: 'message_delta', delta: {} }]
    expect(endOf(readEvents(events)).usage).toEqual({ input_tokens: 0, output_tokens: 0 })
  })
})

describe('errors in the stream', () => {
  const failureOf = (error: JsonObject) => endOf(readEvents([{ type: 'error', error }])).failure

  test.each(['overloaded_error', 'api_error', 'rate_limit_error', 'timeout_error'])(
    '%s passes',
    (type) =>
      expect(failureOf({ type, message: 'm' })).toEqual({ type, message: 'm', retriable: true }),
  )

  test.each(['invalid_request_error', 'billing_error', 'never_heard_of_error'])(
    '%s stays',
    (type) => expect(failureOf({ type, message: 'm' })?.retriable).toBe(false),
  )

  test('keep the request id and other fields', () => {
    const error = { type: 'x', message: 'm', details: { error_code: 'c' }, hint: 1 }
    const end = endOf(readEvents([{ type: 'error', error, request_id: 'req_1' }]))
    expect(end.failure).toMatchObject({
      requestId: 'req_1',
      details: { error_code: 'c', hint: 1 },
    })
  })

  test('by a spend limit are permanent despite their type', () => {
    const details = { error_code: 'enforced_spend_limit_reached' }
    expect(failureOf({ type: 'rate_limit_error', message: 'm', details })?.retriable).toBe(false)
  })

  test('keep complete blocks', () => {
    const error = { type: 'error', error: { type: 'overloaded_error', message: 'm' } }
    const open = blockStart(1, { type: 'text', text: '' })
    const out = read(messageStart(), textBlock(0, 'a'), open, error, textBlock(2, 'late'))
    expect(endOf(out)).toMatchObject({ outcome: 'failed', content: [{ text: 'a' }] })
  })
})
