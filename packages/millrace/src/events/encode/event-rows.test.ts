import { describe, expect, test } from 'vitest'
import {
  catalog,
  decodeEnvelope,
  type Envelope,
  traitsOf,
  traitsOfEvent,
  type AgentEvent,
  type BlockKind,
  createFinalAnswer,
  toErrorEvent,
  createEnvelopeWriter,
} from '../index.ts'

const agent = 'a'
const usage = { input_tokens: 1, output_tokens: 1 }
const error = { type: 't', message: 'm', code: 'c', retriable: false }

/** One event of each type that is no part of a block. */
const events: readonly AgentEvent[] = [
  { type: 'run_start', agent, runId: 'r', prompt: 'p', model: 'm', messages: [] },
  { type: 'tool_result', agent, callId: 't', name: 'f', text: '', images: [], isError: false },
  { type: 'awaiting_frontend_tools', agent, calls: [] },
  { type: 'awaiting_approval', agent, calls: [] },
  { type: 'tool_status', agent, callId: 't', name: 'f', stage: 'started' },
  { type: 'user_message', agent, prompt: 'p' },
  { type: 'compaction', agent, strategy: 's', tokensBefore: 2, tokensAfter: 1 },
  { type: 'step_end', agent, step: 1, stopReason: 'end_turn', usage },
  { type: 'rollback', agent, step: 1, attempt: 2, reason: 'r' },
  { type: 'files', agent, files: [] },
  toErrorEvent(agent, error),
  { type: 'run_end', agent, stopReason: 'end_turn', steps: 1, usage, messages: [], files: [] },
]

const kinds: readonly BlockKind[] = [
  'text',
  'thinking',
  'tool_call',
  'server_tool_call',
  'server_tool_result',
  'other',
]

function blockOf(kind: BlockKind, block: number, text: string): readonly AgentEvent[] {
  const content = { type: kind, id: `t${block}`, name: 'f', text }
  return [
    { type: 'block_start', agent, block, kind, content },
    { type: 'block_delta', agent, block, text },
    { type: 'block_end', agent, block, kind, content, inputText: '{}' },
  ]
}

function writeAll(written: readonly AgentEvent[]): readonly Envelope[] {
  const writer = createEnvelopeWriter()
  return written.flatMap((event) => writer.write(event)).map(decodeEnvelope)
}

function answerAfter(taken: readonly AgentEvent[]): string {
  const answer = createFinalAnswer(agent)
  for (const event of taken) answer.take(event)
  return answer.text()
}

describe('[LIFE-8] [LIFE-15] events have the same role in a step and an answer as their frames in the catalogue', () => {
  test.each(events.map((event) => [event.type, event] as const))('%s', (_, event) => {
    const type = writeAll([event]).at(-1)?.type ?? ''
    expect(traitsOfEvent(event.type)).toBe(traitsOf(type))
    const text = blockOf('text', 0, 'said')
    const rollback: AgentEvent = { type: 'rollback', agent, step: 1, attempt: 2, reason: '' }
    const restarts = traitsOf(type)?.beforeAnswer === true
    const isVoid = event.type === 'rollback'
    expect(answerAfter([...text, event])).toBe(restarts || isVoid ? '' : 'said')
    // After the end of a run nothing is rolled back.
    if (event.type === 'error' || event.type === 'run_end') return
    const settles = traitsOf(type)?.step === 'boundary' && !restarts && !isVoid
    expect(answerAfter([...text, event, rollback])).toBe(settles ? 'said' : '')
  })

  test.each(kinds)('a block of kind %s', (kind) => {
    const [type = ''] = writeAll(blockOf(kind, 1, 'x')).map((message) => message.type)
    expect(traitsOf(type)?.step).toBe('content')
    const isBefore = traitsOf(type)?.beforeAnswer === true
    const answer = answerAfter([...blockOf('text', 0, 'said'), ...blockOf(kind, 1, 'x')])
    expect(answer).toBe(isBefore ? '' : kind === 'text' ? 'saidx' : 'said')
  })
})

test('all types have a role in a step, and those of the rule are its boundaries', () => {
  const boundaries = Object.keys(catalog).filter((type) => traitsOf(type)?.step === 'boundary')
  expect(boundaries).toEqual([
    'meta_init',
    'tool_result',
    'error',
    'meta_step',
    'meta_end',
    'rollback',
    'user_message',
    'aborted',
  ])
})
