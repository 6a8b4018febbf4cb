import { expect, test } from 'vitest'
import { decodeEnvelope, type Envelope } from '../../events/index.ts'
import { chunkPayload } from '../../events/envelope/chunk.ts'
import { createFrameReducer } from '../../testing/frame-reducer.ts'
import { createTranscript, type Transcript } from './index.ts'

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

const reduceAll = (messages: readonly Envelope[]): Transcript => {
  const reduce = createFrameReducer()
  return messages.reduce((sum, one, index) => reduce(sum, one, index + 1), createTranscript())
}

test('[CMD-5] prompts are in the queue until they begin or are withdrawn, in order', () => {
  const before = reduceAll([init('a'), queued('b'), queued('c'), queued('b'), queued('d')])
  expect(before.queue).toEqual([
    { messageId: 'b', text: 'text of b', id: 2 },
    { messageId: 'c', text: 'text of c', id: 3 },
    { messageId: 'd', text: 'text of d', id: 5 },
  ])
  const after = [queued('c', 'withdrawn'), queued('x', 'void'), init('b')].reduce(
    (sum, one) => createFrameReducer()(sum, one),
    before,
  )
  expect(after.queue.map(({ messageId }) => messageId)).toEqual(['d'])
  expect([...(after.agents.at(0)?.runs ?? [])].map(({ messageId }) => messageId)).toEqual([
    'a',
    'b',
  ])
})

test('[CMD-5] a prompt that is queued inside a block does not change the block, also in chunks', () => {
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
  expect(queue).toEqual([{ messageId: 'm'.repeat(200), text: payload, id: pieces.length + 2 }])
})

test('[CMD-5] a run of a branch removes the prompts of its parent from the queue, and keeps those of the branch', () => {
  const forked = { forked_from: { agent_uuid: 'parent', id: 3 } }
  const begin = (id: string) => message('meta_init', JSON.stringify({ message_id: id, ...forked }))
  const shared = [init('a'), queued('b'), message('meta_end', '{}')]
  const idsIn = ({ queue }: Transcript) => queue.map(({ messageId }) => messageId)
  const before = [...shared, queued('c'), queued('d')]
  expect(idsIn(reduceAll(before))).toEqual(['b', 'c', 'd'])
  expect(idsIn(reduceAll([...before, begin('c')]))).toEqual(['d'])
  expect(idsIn(reduceAll([...before, begin('c'), queued('e'), begin('d')]))).toEqual(['e'])
})
