import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '../../../../test/support/runs.ts'
import { encodeEnvelope, type Envelope, createVerifier } from '../../../events/index.ts'
import { isMillraceError } from '../../../errors/index.ts'
import { createTranscript, endTranscript, finalText } from '../../../client/transcript/index.ts'
import { createFrameReducer } from '../../../testing/frame-reducer.ts'
import { agUiReader } from './ag-ui-reader.ts'

function read(events: readonly object[]): readonly Envelope[] {
  const reader = agUiReader()
  const read = events.flatMap((event) => reader.read({ data: JSON.stringify(event) }))
  return [...read, ...reader.finish()]
}

function faultsOf(envelopes: readonly Envelope[]) {
  const verifier = createVerifier({ maxBytes: Infinity })
  const faults = envelopes.flatMap((envelope) => verifier.push(encodeEnvelope(envelope)))
  return envelopes.length === 0 ? faults : [...faults, ...verifier.end(true)]
}

function answerOf(envelopes: readonly Envelope[]): string {
  const reduce = createFrameReducer()
  const transcript = envelopes.reduce((seen, one) => reduce(seen, one), createTranscript())
  return finalText(endTranscript(transcript))
}

const short = (envelopes: readonly Envelope[]) =>
  envelopes.map(({ type, agent, delta, final }) => `${agent} ${type}${final ? '.' : ''} ${delta}`)

const start = { type: 'RUN_STARTED', threadId: 't', runId: 'r' }
const finish = { type: 'RUN_FINISHED', threadId: 't', runId: 'r' }
const say = (messageId: string, ...deltas: string[]) => [
  { type: 'TEXT_MESSAGE_START', messageId, role: 'assistant' },
  ...deltas.map((delta) => ({ type: 'TEXT_MESSAGE_CONTENT', messageId, delta })),
  { type: 'TEXT_MESSAGE_END', messageId },
]

describe('AG-UI of other servers', () => {
  test('expands the shorthand of chunks, which ends where another event begins', () => {
    const envelopes = read([
      start,
      { type: 'TEXT_MESSAGE_CHUNK', messageId: 'm', role: 'assistant', delta: 'Let ' },
      { type: 'RAW', event: { any: 'thing' } },
      { type: 'TEXT_MESSAGE_CHUNK', delta: 'me see.' },
      { type: 'TOOL_CALL_CHUNK', toolCallId: 'c', toolCallName: 'look', delta: '{"a"' },
      { type: 'TOOL_CALL_CHUNK', delta: ':1}' },
      { type: 'TOOL_CALL_RESULT', messageId: 'x', toolCallId: 'c', content: 'seen' },
      { type: 'REASONING_MESSAGE_CHUNK', messageId: 'z', delta: 'hm' },
      { type: 'TEXT_MESSAGE_CHUNK', messageId: 'n', delta: 'Done.' },
      finish,
    ])
    expect(faultsOf(envelopes)).toEqual([])
    expect(short(envelopes.slice(1, -1))).toEqual([
      't text Let ',
      't text me see.',
      't text. ',
      't tool_call {"a"',
      't tool_call :1}',
      't tool_call. ',
      't tool_result. seen',
      't thinking hm',
      't thinking. ',
      't text Done.',
      't text. ',
    ])
    expect(answerOf(envelopes)).toContain('Done.')
  })

  test('attributes events of an unannounced sub-agent to that sub-agent', () => {
    const envelopes = read([
      start,
      ...say('m', 'mine'),
      ...say('s', 'its').map((event) => ({ ...event, subagentRunId: 'sub' })),
      finish,
    ])
    expect(faultsOf(envelopes)).toEqual([])
    expect(envelopes.filter(({ type }) => type === 'meta_init').map(({ agent }) => agent)).toEqual([
      't',
      'sub',
    ])
  })

  test('pauses a run that ends with unanswered calls, and continues it in the next', () => {
    const call = { type: 'TOOL_CALL_START', toolCallId: 'c', toolCallName: 'ask' }
    const envelopes = read([
      start,
      call,
      { type: 'TOOL_CALL_ARGS', toolCallId: 'c', delta: '{"q":"why"}' },
      { type: 'TOOL_CALL_END', toolCallId: 'c' },
      finish,
      { ...start, runId: 'r2' },
      { type: 'TOOL_CALL_RESULT', messageId: 'x', toolCallId: 'c', content: 'because' },
      ...say('m', 'Ah.'),
      { ...finish, runId: 'r2' },
    ])
    expect(faultsOf(envelopes)).toEqual([])
    const awaited = envelopes.find(({ type }) => type === 'awaiting_frontend_tools')
    expect(JSON.parse(awaited?.delta ?? '')).toEqual([
      { tool_use_id: 'c', name: 'ask', input: { q: 'why' } },
    ])
    expect(envelopes.filter(({ type }) => type === 'meta_init')).toHaveLength(1)
  })

  test('takes the prompt from the input that a server sends back', () => {
    const input = {
      threadId: 't',
      runId: 'r',
      messages: [{ id: 'q', role: 'user', content: 'why?' }],
    }
    const [init] = read([{ ...start, input }, ...say('m', 'so'), finish])
    expect(JSON.parse(init?.delta ?? '')).toMatchObject({ user_query: 'why?', agent_uuid: 't' })
  })

  test('ends an interrupted stream with an error and an end', () => {
    const envelopes = read([start, ...say('m', 'half').slice(0, 2)])
    expect(faultsOf(envelopes)).toEqual([])
    expect(envelopes.slice(-2).map(({ type }) => type)).toEqual(['error', 'meta_end'])
  })

  test('rejects an invalid event with a message, and skips [DONE]', () => {
    const reader = agUiReader()
    expect(reader.read({ data: '[DONE]' })).toEqual([])
    for (const data of ['{', '[]', 'null', '{"type":7}']) {
      expect(() => reader.read({ data })).toThrow(
        expect.objectContaining({ code: 'envelope_malformed' }),
      )
    }
  })

  test('bounds endless arguments and texts', () => {
    const reader = agUiReader({ maxHeldLength: 8 })
    const feed = (event: object) => reader.read({ data: JSON.stringify(event) })
    feed(start)
    feed({ type: 'TOOL_CALL_START', toolCallId: 'c', toolCallName: 'ask' })
    expect(() => feed({ type: 'TOOL_CALL_ARGS', toolCallId: 'c', delta: '123456789' })).toThrow(
      expect.objectContaining({ code: 'frame_too_large' }),
    )
  })
})

const types = [
  'RUN_STARTED RUN_FINISHED RUN_ERROR STEP_STARTED STEP_FINISHED',
  'TEXT_MESSAGE_START TEXT_MESSAGE_CONTENT TEXT_MESSAGE_END TEXT_MESSAGE_CHUNK',
  'TOOL_CALL_START TOOL_CALL_ARGS TOOL_CALL_END TOOL_CALL_CHUNK TOOL_CALL_RESULT',
  'REASONING_MESSAGE_START REASONING_MESSAGE_CONTENT REASONING_MESSAGE_END',
  'SUBAGENT_STARTED SUBAGENT_FINISHED SUBAGENT_ERROR CUSTOM ACTIVITY_SNAPSHOT',
  'STATE_DELTA MESSAGES_SNAPSHOT RAW NEVER_HEARD_OF __proto__ constructor',
].flatMap((line) => line.split(' '))
const word = fc.constantFrom('a', 'b', 'millrace.rollback', 'millrace.text', 'millrace.odd', 'user')
const anyEvent = fc.record(
  {
    type: fc.constantFrom(...types),
    messageId: word,
    toolCallId: word,
    toolCallName: word,
    subagentRunId: word,
    parentSubagentRunId: word,
    delta: fc.oneof(word, fc.constant(7)),
    role: word,
    name: word,
    value: fc.oneof(fc.constant({ type: 'meta_end', delta: 'x', agent: 'z' }), fc.jsonValue()),
    content: fc.oneof(word, fc.jsonValue()),
    outcome: fc.oneof(
      fc.constant({
        type: 'interrupt',
        interrupts: [{ id: 'a', toolCallId: 'a', subagentRunId: 'b' }],
      }),
      fc.constant({ type: 'success', pendingToolCallIds: ['a', 'c'] }),
      fc.constant({ type: 'suspended' }),
      fc.jsonValue(),
    ),
    metadata: fc.oneof(
      fc.constant({ step: 1, citations: [{}], part: 2, run: 'r' }),
      fc.jsonValue(),
    ),
    activityType: word,
  },
  { requiredKeys: ['type'] },
)

test('any input is decoded to valid frames or rejected with a message', () => {
  fc.assert(
    fc.property(fc.array(anyEvent, { maxLength: 30 }), (events) => {
      try {
        expect(faultsOf(read(events))).toEqual([])
      } catch (error) {
        if (!isMillraceError(error)) throw error
      }
    }),
    { numRuns: runs(400, 20_000) },
  )
})
