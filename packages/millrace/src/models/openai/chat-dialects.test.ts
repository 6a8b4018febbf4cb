import { expect, test } from 'vitest'
import { endOf, noticesOf } from '../../../test/support/models/anthropic-events.ts'
import { chunk, delta, finish, readChunks, text } from '../../../test/support/models/chat-chunks.ts'

test('a choice with the index null is the first, like one without an index', () => {
  for (const index of [null, undefined, 0]) {
    const place = index === undefined ? {} : { index }
    const events = readChunks([
      chunk({ ...place, delta: { content: 'Hi' } }),
      chunk({ ...place, delta: {}, finish_reason: 'stop' }),
    ])
    expect(endOf(events).content).toEqual([{ type: 'text', text: 'Hi' }])
    expect(noticesOf(events)).toEqual([])
  }
})

test.each([false, null, ''])('an error that is %j is none', (error) => {
  const events = readChunks([{ ...text('Hi'), error }, finish()])
  expect(endOf(events)).toMatchObject({ outcome: 'finished', stopReason: 'stop' })
})

test('thinking before a refusal precedes it', () => {
  const encrypted = { reasoning_details: [{ type: 'reasoning.encrypted', data: 'sealed' }] }
  const events = readChunks([delta(encrypted), delta({ refusal: 'No.' }), finish()])
  expect(endOf(events).content.map(({ type }) => type)).toEqual(['thinking', 'text'])
})
