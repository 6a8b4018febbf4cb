import { describe, expect, test } from 'vitest'
import {
  agent,
  block,
  end,
  final,
  linesOf,
  start,
  text,
  usage,
  write,
} from '../../../test/support/agents/agent-events.ts'
import {
  decodeEnvelope,
  type AgentEvent,
  createVerifier,
  toErrorEvent,
  createEnvelopeWriter,
  type EnvelopeWriterOptions,
} from '../index.ts'

describe('a run', () => {
  const parsed = (events: readonly AgentEvent[], options?: EnvelopeWriterOptions) =>
    write(events, options).map(({ type, delta = '' }): [string, unknown] => [
      type ?? '',
      JSON.parse(delta),
    ])

  test('begins and ends with the data that a client needs', () => {
    expect(parsed([start, end])).toEqual([
      [
        'meta_init',
        {
          format: 'json',
          user_query: 'hi',
          agent_uuid: 'a1',
          parent_agent_uuid: null,
          model: 'm',
          protocol_version: 1,
          run_id: 'r1',
        },
      ],
      ['meta_end', { stop_reason: 'end_turn', total_steps: 1, usage, cost: null }],
    ])
    const child = { ...start, name: 'scout', parentAgent: 'a0', parentToolUseId: 't9' }
    expect(parsed([child], { format: 'xml' })[0]?.[1]).toMatchObject({
      format: 'xml',
      name: 'scout',
      parent_agent_uuid: 'a0',
      parent_tool_use_id: 't9',
    })
  })

  test('has history only on request, without data and secrets', () => {
    const source = { type: 'base64', media_type: 'image/png', data: 'A'.repeat(4096) }
    const messages = [
      { role: 'user' as const, content: [{ type: 'image', source }] },
      {
        role: 'assistant' as const,
        content: [
          { type: 'thinking', thinking: 'hm', signature: 'SIG' },
          { type: 'redacted_thinking', data: 'ENC' },
        ],
      },
    ]
    const events = [
      { ...start, messages },
      { ...end, history: messages, files: [{ fileId: 'f', filename: 'n', storageLocation: 'u' }] },
    ]
    const [init, summary, last] = parsed(events, { history: true })
    const history = [
      {
        role: 'user',
        content: [{ type: 'image', source: { ...source, data: '[base64, 3.0 KB]' } }],
      },
      {
        role: 'assistant',
        content: [{ type: 'thinking', thinking: 'hm' }, { type: 'redacted_thinking' }],
      },
    ]
    expect(init?.[1]).toMatchObject({ message_history: history })
    expect(summary).toEqual([
      'meta_final',
      {
        conversation_history: history,
        stop_reason: 'end_turn',
        total_steps: 1,
        generated_files: [{ file_id: 'f', filename: 'n', storage_location: 'u' }],
        cost: null,
        cumulative_usage: usage,
      },
    ])
    expect(last?.[0]).toBe('meta_end')
  })

  test.each(['awaiting_frontend_tools', 'awaiting_approval', 'aborted', 'error'])(
    '[LIFE-9] a run that ended with %s has no summary',
    (stopReason) => {
      const received = write([start, { ...end, stopReason }], { history: 'all' })
      expect(received.map(({ type }) => type)).toEqual(['meta_init', 'meta_end'])
    },
  )

  test('[LIFE-9] a run that reported an error has no summary, the next one has', () => {
    const error = { type: 'api_error', message: 'm', code: 'c', retriable: false }
    const received = write([start, toErrorEvent(agent, error), end, start, end], {
      history: true,
    })
    const ofFirst = ['meta_init', 'error', 'meta_end']
    expect(received.map(({ type }) => type)).toEqual([
      ...ofFirst,
      'meta_init',
      'meta_final',
      'meta_end',
    ])
  })

  test('[LIFE-9] sub-agents send history and summaries only if requested for all', () => {
    const ofChild = { agent: 'a2' }
    const events = [
      start,
      { ...start, ...ofChild, parentAgent: agent },
      { ...end, ...ofChild },
      end,
    ]
    const received = (history: boolean | 'all') => {
      const writer = createEnvelopeWriter({ history, root: agent })
      const lines = events.flatMap((event) => writer.write(event)).map(decodeEnvelope)
      return lines.map(({ type, agent: whose, delta }) =>
        [whose, type, ...(delta.includes('_history"') ? ['history'] : [])].join(' '),
      )
    }
    expect(received(true)).toEqual([
      'a1 meta_init history',
      'a2 meta_init',
      'a2 meta_end',
      'a1 meta_final history',
      'a1 meta_end',
    ])
    expect(received('all')).toEqual([
      'a1 meta_init history',
      'a2 meta_init history',
      'a2 meta_final history',
      'a2 meta_end',
      'a1 meta_final history',
      'a1 meta_end',
    ])
  })

  test('a prompt of blocks is JSON, with the size of its data', () => {
    const image = (data: string) => ({
      type: 'image',
      source: { type: 'base64', media_type: 'image/png', data },
    })
    const document = (data: string) => ({
      type: 'document',
      source: { type: 'text', media_type: 'text/plain', data },
    })
    const prompt = [
      image('A'.repeat(4096)),
      image('A'.repeat(2 * 1024 * 1024)),
      document('short'),
      document('x'.repeat(5120)),
      { type: 'text', text: 'what?' },
    ]
    const init = parsed([{ ...start, prompt }])[0]?.[1] as { user_query: string }
    expect(JSON.parse(init.user_query)).toEqual([
      image('[base64, 3.0 KB]'),
      image('[base64, 1.5 MB]'),
      document('short'),
      document('[text, 5.0 KB]'),
      { type: 'text', text: 'what?' },
    ])
  })

  test('calls for the browser keep their bytes; text that is not JSON does not break the list', () => {
    const calls = ['{ "n": 12345678901234567890 }', '', '{'].map((inputText, index) => ({
      id: `t${index}`,
      name: 'ask',
      inputText,
    }))
    const [message] = write([{ type: 'awaiting_frontend_tools', agent, calls }])
    expect(message).toMatchObject({ type: 'awaiting_frontend_tools', final: true })
    expect(message?.delta).toContain('"input":{ "n": 12345678901234567890 }')
    expect(JSON.parse(message?.delta ?? '')).toMatchObject([
      { tool_use_id: 't0', name: 'ask' },
      { input: {} },
      { input: '{' },
    ])
  })

  test('steps, rollbacks, files and errors', () => {
    const error = {
      type: 'overloaded_error',
      message: 'm',
      code: 'model_failed',
      retriable: true,
      stack: 'secret',
    }
    expect(
      parsed([
        { type: 'step_end', agent, step: 2, stopReason: 'tool_use', usage },
        { type: 'rollback', agent, step: 2, attempt: 3, reason: 'cut' },
        {
          type: 'files',
          agent,
          files: [{ fileId: 'f', filename: 'n', storageLocation: 'u' }],
        },
        toErrorEvent(agent, error),
      ]),
    ).toEqual([
      ['meta_step', { step: 2, stop_reason: 'tool_use', usage, cost: null }],
      ['rollback', { step: 2, attempt: 3, reason: 'cut' }],
      ['meta_files', { files: [{ file_id: 'f', filename: 'n', storage_location: 'u' }] }],
      ['error', { type: 'overloaded_error', message: 'm', code: 'model_failed', retriable: true }],
    ])
  })
})

describe('[LIFE-2] blocks that the model left open are closed', () => {
  const open = [
    ...text(['half']).slice(0, -1),
    ...block(
      1,
      'tool_call',
      { type: 'tool_use', id: 't1', name: 'f', input: {} },
      ['{"a'],
      '',
    ).slice(0, -1),
  ]
  test.each<[string, AgentEvent]>([
    ['an error', { type: 'error', agent, kind: 't', message: 'm', code: 'c', retriable: false }],
    ['a rollback', { type: 'rollback', agent, step: 1, attempt: 2, reason: 'r' }],
    ['the end of a step', { type: 'step_end', agent, step: 1, stopReason: 'max_tokens', usage }],
    ['a pause', { type: 'awaiting_frontend_tools', agent, calls: [] }],
    ['the end of the run', end],
  ])('before %s', (_name, event) => {
    expect(
      write([...open, event])
        .map(({ type, final: isFinal }) => `${type} ${isFinal}`)
        .slice(0, 2),
    ).toEqual(['text false', 'text true'])
    const live = write([...open, event], { toolInput: 'live' })
    expect(live.slice(0, 4).map(({ type, final: isFinal }) => `${type} ${isFinal}`)).toEqual([
      'text false',
      'tool_call false',
      'text true',
      'tool_call true',
    ])
    expect(live).toHaveLength(5)
  })

  test('only of this agent; at an interruption of the stream, of all agents', () => {
    const other = open.map((event) => ({ ...event, agent: 'a2' }))
    const writer = createEnvelopeWriter()
    for (const event of [...open, ...other]) writer.write(event)
    expect(writer.write(end).map((line) => decodeEnvelope(line).agent)).toEqual(['a1', 'a1'])
    expect(writer.finish().map((line) => decodeEnvelope(line))).toEqual([
      { type: 'text', agent: 'a2', ...final, interrupted: true },
    ])
    expect(writer.finish()).toEqual([])
  })

  test('a block whose number is reused is closed first; one without output leaves no trace', () => {
    const again = [...text(['a']).slice(0, -1), ...text(['b'])]
    expect(write(again).map(({ delta }) => delta)).toEqual(['a', '', 'b', ''])
    expect(write([...text([]).slice(0, -1), end]).map(({ type }) => type)).toEqual(['meta_end'])
  })
})

test('a whole run satisfies the verifier', () => {
  const events = [
    start,
    ...text(['Let me look.']),
    ...block(1, 'tool_call', { type: 'tool_use', id: 't1', name: 'look', input: {} }, ['{}'], '{}'),
    { type: 'step_end', agent, step: 1, stopReason: 'tool_use', usage },
    {
      type: 'tool_result',
      agent,
      callId: 't1',
      name: 'look',
      text: 'x'.repeat(9000),
      images: [{ src: `data:image/png;base64,${'A'.repeat(9000)}`, mediaType: 'image/png' }],
      isError: false,
    },
    ...text(['Done.']).slice(0, -1),
    end,
  ] as const satisfies AgentEvent[]
  const verifier = createVerifier()
  expect(
    linesOf(events, { history: true, toolInput: 'live' }).flatMap((line) => verifier.push(line)),
  ).toEqual([])
  expect(verifier.end(true)).toEqual([])
})
