import { expect, test } from 'vitest'
import { chunkPayload, decodeEnvelope, type Envelope } from '../envelope/index.ts'
import { createTranscript, reduceTranscript, type Transcript } from './index.ts'

const message = (type: string, delta: string, extra: object = {}): Envelope => ({
  type,
  agent: 'root',
  final: true,
  delta,
  ...extra,
})
const queued = (id: string, state = 'queued') =>
  message('queued_prompt', `text of ${id}`, { message_id: id, state })
const init = (id?: string) => message('meta_init', JSON.stringify({ message_id: id }))

const reduceAll = (messages: readonly Envelope[]): Transcript =>
  messages.reduce((sum, one) => reduceTranscript(sum, one), createTranscript())

test('[CMD-5] prompts are in the queue until they begin or leave it, in order', () => {
  const before = reduceAll([init('a'), queued('b'), queued('c'), queued('b'), queued('d')])
  expect(before.queue).toEqual([
    { messageId: 'b', text: 'text of b' },
    { messageId: 'c', text: 'text of c' },
    { messageId: 'd', text: 'text of d' },
  ])
  const after = [queued('c', 'withdrawn'), queued('x', 'void'), init('b')].reduce(
    (sum, one) => reduceTranscript(sum, one),
    before,
  )
  expect(after.queue.map(({ messageId }) => messageId)).toEqual(['d'])
  expect([...(after.agents.at(0)?.runs ?? [])].map(({ messageId }) => messageId)).toEqual([
    'a',
    'b',
  ])
})

test('[CMD-5] a prompt that is queued inside a block changes nothing of it, also in pieces', () => {
  const text = { type: 'text', agent: 'root', final: false }
  const extras = { message_id: 'm'.repeat(200), state: 'queued' }
  const payload = 'long '.repeat(200)
  const pieces = [
    ...chunkPayload({ type: 'queued_prompt', agent: 'root', payload, extras, maxBytes: 512 }),
  ].map((line) => decodeEnvelope(line))
  expect(pieces.length).toBeGreaterThan(1)
  const { agents, queue } = reduceAll([
    init(),
    { ...text, delta: 'one ' },
    ...pieces,
    { ...text, delta: 'two' },
    { ...text, delta: '', final: true },
  ])
  expect([...(agents.at(0)?.blocks ?? [])]).toMatchObject([{ type: 'text', text: 'one two' }])
  expect(queue).toEqual([{ messageId: 'm'.repeat(200), text: payload }])
})
