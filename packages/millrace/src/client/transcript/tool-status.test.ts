import { describe, expect, test } from 'vitest'
import { decodeEnvelope, type Envelope } from '../../events/index.ts'
import { chunkPayload } from '../../events/envelope/chunk.ts'
import { createFrameReducer } from '../../testing/frame-reducer.ts'
import { createTranscript, rootAgent, type Transcript } from './index.ts'

function message(type: string, delta = '', extra: object = {}): Envelope {
  return { type, agent: 'root', final: true, delta, ...extra }
}

const call = message('tool_call', '{"path":"a"}', { id: 't1', name: 'write_file' })
const status = (stage: string, detail = '', id = 't1') =>
  message('tool_status', detail, { id, name: 'write_file', stage })
const asked = message('awaiting_approval', '[{"tool_use_id":"t1","name":"write_file"}]')
const paused = [message('meta_init', '{}'), call, status('approval_requested'), asked]

function reduceAll(messages: readonly Envelope[], from = createTranscript()): Transcript {
  const reduce = createFrameReducer()
  return messages.reduce((sum, one) => reduce(sum, one), from)
}

const blocksOf = (transcript: Transcript) => [...(rootAgent(transcript)?.blocks ?? [])]

describe('the status of a call [LIFE-11]', () => {
  test('is tracked from the request for approval to its result', () => {
    const waiting = reduceAll(paused)
    expect(waiting).toMatchObject({
      status: 'awaiting_tools',
      pending: [{ callId: 't1', name: 'write_file', approval: true }],
    })
    expect(blocksOf(waiting)).toMatchObject([{ status: { stage: 'approval_requested' } }])
    // It runs as soon as it is approved, though its result may take long.
    const running = reduceAll([status('approved'), status('progress', 'half')], waiting)
    expect(running).toMatchObject({ status: 'streaming', pending: [] })
    expect(blocksOf(running)).toMatchObject([{ status: { stage: 'progress', detail: 'half' } }])
    const result = message('tool_result', 'done', { id: 't1', name: 'write_file' })
    const answered = reduceAll([status('succeeded'), result], running)
    expect(blocksOf(answered)).toMatchObject([
      { status: { stage: 'succeeded' }, result: { text: 'done' } },
    ])
  })

  test('after a decision leaves the others pending', () => {
    const two = message('awaiting_approval', '[{"tool_use_id":"t1"},{"tool_use_id":"t2"}]')
    const { pending, status: state } = reduceAll([...paused, two, status('refused', 'no')])
    expect(pending).toMatchObject([{ callId: 't2' }])
    expect(state).toBe('awaiting_tools')
  })

  test.each([
    ['a result', message('tool_result', 'done', { id: 't1', name: 'write_file' })],
    ['a decision', status('approved')],
    ['a refusal', status('refused', 'no')],
  ])('%s of one agent leaves the call of another agent with the same id pending', (_, answer) => {
    const asks = ['a', 'b'].flatMap((agent) => [
      { ...message('meta_init', '{"parent_agent":"root"}'), agent },
      { ...call, agent },
      { ...asked, agent },
    ])
    const waiting = reduceAll([message('meta_init', '{}'), ...asks])
    const idsOf = ({ pending }: Transcript) => pending.map(({ agent, callId }) => [agent, callId])
    expect(idsOf(waiting)).toEqual([
      ['a', 't1'],
      ['b', 't1'],
    ])
    for (const [agent, other] of [
      ['a', 'b'],
      ['b', 'a'],
    ] as const) {
      const next = reduceAll([{ ...answer, agent }], waiting)
      expect(idsOf(next)).toEqual([[other, 't1']])
      expect(next.status).toBe('awaiting_tools')
      expect(idsOf(reduceAll([{ ...answer, agent: other }], next))).toEqual([])
    }
    // An agent without pending calls does not remove a question either.
    expect(idsOf(reduceAll([answer], waiting))).toEqual(idsOf(waiting))
  })

  test('with a long detail is complete, and changes nothing before that', () => {
    const detail = '"é\\'.repeat(700)
    const extras = { id: 't1', name: 'write_file', stage: 'approved' }
    const part = { type: 'tool_status', agent: 'root', payload: detail, extras, maxBytes: 512 }
    const messages = [...chunkPayload(part)].map(decodeEnvelope)
    expect(messages.length).toBeGreaterThan(4)
    const reduce = createFrameReducer()
    const half = messages.slice(0, -1).reduce((sum, one) => reduce(sum, one), reduceAll(paused))
    expect(half.pending).toHaveLength(1)
    expect(blocksOf(reduce(half, messages.at(-1)!))).toMatchObject([{ status: { detail } }])
  })

  test('of a call that the log has lost is shown as a call without input', () => {
    const transcript = reduceAll([status('progress', 'half')])
    expect(blocksOf(transcript)).toMatchObject([
      { type: 'tool_call', id: 't1', name: 'write_file', text: '', status: { detail: 'half' } },
    ])
  })
})

describe('a message of a user to the active run [LIFE-13]', () => {
  const received = message('user_message', 'Shorter, please.')

  test('is placed where it arrived, in any number of chunks', () => {
    const words = [message('text', 'One'), message('text', ' two', { final: false })]
    const pieces = [
      message('user_message', 'Shor', { final: false }),
      message('user_message', 'ter.'),
    ]
    const transcript = reduceAll([message('meta_init', '{}'), ...words, ...pieces, message('text')])
    expect(blocksOf(transcript)).toMatchObject([
      { type: 'text', text: 'One' },
      { type: 'text', text: ' two' },
      { type: 'user_message', text: 'Shorter.', done: true },
    ])
  })

  test('is not rolled back with the later text of the model [LIFE-8]', () => {
    const answer = message('text', 'Half an an', { final: false })
    const again = [answer, message('rollback', '{}'), message('text', 'Again')]
    const transcript = reduceAll([message('meta_init', '{}'), received, ...again])
    expect(blocksOf(transcript)).toMatchObject([
      { type: 'user_message', text: 'Shorter, please.' },
      { type: 'text', text: 'Again' },
    ])
  })
})

describe('a decided call has the decider, the time and the decision [APR-3]', () => {
  const hash = '44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a'
  const at = '2026-11-16T10:00:00.000Z'
  const decided = (stage: string, extra: object, detail = '') =>
    message('tool_status', detail, { id: 't1', name: 'write_file', stage, ...extra })

  test('also when later stages follow', () => {
    const fields = { by: 'anna', at, input_hash: hash, edited: true }
    const running = reduceAll([
      ...paused,
      decided('approved', fields, '{"path":"b"}'),
      status('started'),
      status('succeeded'),
    ])
    expect(blocksOf(running)).toMatchObject([
      {
        status: { stage: 'succeeded' },
        decision: {
          stage: 'approved',
          by: 'anna',
          at,
          inputHash: hash,
          edited: true,
          detail: '{"path":"b"}',
        },
      },
    ])
    const expired = reduceAll([decided('expired', { at })], running)
    expect(blocksOf(expired)).toMatchObject([
      { decision: { stage: 'expired', by: undefined, at, inputHash: undefined, edited: false } },
    ])
  })

  test('a pending call has its hash and its expiry', () => {
    const request = { input_hash: hash, asked_at: at, expires_at: at }
    const tools = JSON.stringify([{ tool_use_id: 't1', name: 'write_file', ...request }])
    const { pending } = reduceAll([...paused.slice(0, 3), message('awaiting_approval', tools)])
    expect(pending).toMatchObject([{ inputHash: hash, askedAt: at, expiresAt: at }])
    expect(reduceAll(paused).pending[0]).not.toHaveProperty('inputHash')
  })
})
