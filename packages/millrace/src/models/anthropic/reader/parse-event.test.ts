import { describe, expect, test } from 'vitest'
import {
  messageEnd,
  messageStart,
  textBlock,
  toBody,
} from '../../../../test/support/models/anthropic-events.ts'
import type { ModelEvent } from '../../../events/index.ts'
import { streamAnthropicMessage } from './message-stream.ts'

const options = { signal: undefined, idleTimeoutMs: 1000, maxFrameChars: 10_000 }
const before = toBody([messageStart(), ...textBlock(0, 'Hi')])
const after = toBody(messageEnd())

async function stream(body: string): Promise<ModelEvent[]> {
  const events: ModelEvent[] = []
  const open = async () => new Response(body).body
  for await (const event of streamAnthropicMessage(open, options)) events.push(event)
  return events
}

describe('a frame whose data is not a JSON object', () => {
  test.each(['event: ping\ndata:\n\n', 'event: ping\ndata: pong\n\n'])(
    'is a ping if it is named so: %j',
    async (ping) => {
      expect(await stream(before + ping + after)).toEqual(await stream(before + after))
    },
  )

  test('has no effect except a notice if its event is unknown', async () => {
    const events = await stream(`${before}event: news\ndata: [1]\n\n${after}`)
    const notice = expect.objectContaining({ raw: { type: 'news', data: '[1]' } }) as unknown
    expect(events.filter(({ type }) => type === 'notice')).toEqual([notice])
    expect(events.filter(({ type }) => type !== 'notice')).toEqual(await stream(before + after))
  })

  test('fails the message with its text if it is an error', async () => {
    const end = (await stream(`${before}event: error\ndata: upstream is gone\n\n${after}`)).at(-1)
    const failure = { type: 'api_error', message: 'upstream is gone', retriable: true }
    expect(end).toMatchObject({ type: 'message_end', outcome: 'failed', failure })
  })

  test.each(['event: content_block_delta\ndata: {"\n\n', 'data: {"\n\n'])(
    'fails the message if it may be a part of it: %j',
    async (frame) => {
      const end = (await stream(before + frame + after)).at(-1)
      expect(end).toMatchObject({ outcome: 'failed', failure: { type: 'malformed_frame' } })
    },
  )
})
