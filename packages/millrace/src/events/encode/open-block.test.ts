import { describe, expect, test } from 'vitest'
import {
  agent,
  block,
  final,
  linesOf,
  text,
  write,
} from '../../../test/support/agents/agent-events.ts'
import { decodeEnvelope, type AgentEvent, type ContentBlock, toCitation } from '../index.ts'
import { createEnvelopeWriter } from './envelope-writer.ts'

describe('text and thinking', () => {
  test('[ENV-6] deltas are sent at once, an empty frame closes; [MAP-5] empty deltas are not sent', () => {
    expect(write(text(['a', '', ' ', '\n']))).toEqual([
      { type: 'text', final: false, delta: 'a' },
      { type: 'text', final: false, delta: ' ' },
      { type: 'text', final: false, delta: '\n' },
      { type: 'text', ...final },
    ])
    expect(write(text([]))).toEqual([{ type: 'text', ...final }])
  })

  test('[ENV-2] the bytes of a line', () => {
    expect(linesOf(text(['é"\n\u0000\ud800'])).at(0)).toBe(
      '{"type":"text","agent":"a1","final":false,"delta":"é\\"\\n\\u0000\\ud800"}',
    )
    const hostile = {
      type: 'block_delta',
      agent: '"final":false,"delta":""',
      block: 0,
      text: 'x',
    } as const
    const opened = {
      type: 'block_start',
      agent: hostile.agent,
      block: 0,
      kind: 'text',
      content: { type: 'text' },
    } as const
    expect(decodeEnvelope(linesOf([opened, hostile])[0] ?? '')).toMatchObject({
      agent: hostile.agent,
      delta: 'x',
    })
  })

  test('[MAP-2] signatures and redacted thoughts stay on the server', () => {
    const thinking = block(0, 'thinking', { type: 'thinking', thinking: 'hm', signature: 'SIG' }, [
      'hm',
    ])
    const redacted = block(1, 'thinking', { type: 'redacted_thinking', data: 'ENC' })
    expect(write([...thinking, ...redacted])).toEqual([
      { type: 'thinking', final: false, delta: 'hm' },
      { type: 'thinking', ...final },
      { type: 'thinking', ...final, redacted: true },
    ])
  })

  test('[ENV-7] two open blocks of a type are distinguished by an id', () => {
    const [first, second] = [text(['A1', 'A2']), text(['B1'], 1)]
    const mixed = [first[0], first[1], second[0], second[1], first[2], second[2], first[3]].filter(
      (event) => event !== undefined,
    )
    expect(write(mixed)).toEqual([
      { type: 'text', final: false, delta: 'A1' },
      { type: 'text', final: false, delta: 'B1', id: 'block_1' },
      { type: 'text', final: false, delta: 'A2' },
      { type: 'text', ...final, id: 'block_1' },
      { type: 'text', ...final },
    ])
  })

  test('events for an unopened block are ignored', () => {
    expect(
      write([{ type: 'block_delta', agent, block: 3, text: 'ghost' }, ...text(['a'])]),
    ).toHaveLength(2)
    expect(write(text(['ghost']).slice(1))).toEqual([])
  })
})

describe('citations', () => {
  const char = {
    type: 'char_location',
    cited_text: 'The grass',
    document_index: 0,
    document_title: null,
    start_char_index: 0,
    end_char_index: 9,
  }
  const web = {
    type: 'web_search_result_location',
    cited_text: 'snippet',
    url: 'https://e.x',
    title: 'E',
    encrypted_index: 'ENC',
  }
  const cite = (citation: typeof char | typeof web): AgentEvent => ({
    type: 'citation',
    agent,
    block: 0,
    ...toCitation(citation),
  })

  test('[MAP-3] wait for their text to end; nulls and opaque fields are omitted; the last is final', () => {
    const [opened, delta, ended] = text(['green'])
    const events = [opened, cite(char), delta, cite(web), ended].filter(
      (event) => event !== undefined,
    )
    expect(write(events).slice(1)).toEqual([
      { type: 'text', ...final },
      {
        type: 'citation',
        final: false,
        delta: 'The grass',
        citation_type: 'char_location',
        document_index: 0,
        start_char_index: 0,
        end_char_index: 9,
      },
      {
        type: 'citation',
        final: true,
        delta: 'snippet',
        citation_type: 'web_search_result_location',
        url: 'https://e.x',
        title: 'E',
      },
    ])
  })

  test('of a complete block are sent too, and unknown ones keep their fields', () => {
    const odd = { type: 'dream_location', id: 7, final: 'x', depth: { rem: 2 } }
    const [opened, ended] = block(0, 'text', { type: 'text', text: '', citations: [odd] })
    expect(write([opened, ended].filter((event) => event !== undefined)).at(-1)).toEqual({
      type: 'citation',
      final: true,
      delta: '',
      citation_type: 'dream_location',
      citation_id: 7,
      citation_final: 'x',
      depth: { rem: 2 },
    })
  })
})

describe('calls', () => {
  const raw = '{ "n": 12345678901234567890, "x": 1e400 }'
  const call = block(
    0,
    'tool_call',
    { type: 'tool_use', id: 't1', name: 'f', input: {} },
    [raw.slice(0, 9), raw.slice(9)],
    raw,
  )

  test('[MAP-4] are sent complete by default and keep the bytes of the model', () => {
    expect(write(call)).toEqual([
      { type: 'tool_call', final: true, delta: raw, id: 't1', name: 'f' },
    ])
  })

  test('[MAP-4] are sent as they are written in live mode', () => {
    expect(write(call, { toolInput: 'live' })).toEqual([
      { type: 'tool_call', final: false, delta: raw.slice(0, 9), id: 't1', name: 'f' },
      { type: 'tool_call', final: false, delta: raw.slice(9), id: 't1', name: 'f' },
      { type: 'tool_call', ...final, id: 't1', name: 'f' },
    ])
    const silent = block(
      0,
      'tool_call',
      { type: 'tool_use', id: 't1', name: 'f', input: {} },
      [],
      '{}',
    )
    expect(write(silent, { toolInput: 'live' })).toMatchObject([{ final: true, delta: '{}' }])
  })

  test('[MAP-1] of the provider have the name of the MCP server; their results have the name of their block', () => {
    const mcp = block(
      0,
      'server_tool_call',
      { type: 'mcp_tool_use', id: 's1', name: 'echo', server_name: 'srv', input: {} },
      [],
      '{"a":1}',
    )
    const failed = block(1, 'server_tool_result', {
      type: 'mcp_tool_result',
      tool_use_id: 's1',
      is_error: true,
      content: [{ type: 'text', text: 'no' }],
    })
    const results = [
      { type: 'web_search_result', title: 'T', encrypted_content: 'E', page_age: null },
    ]
    const search = block(2, 'server_tool_result', {
      type: 'web_search_tool_result',
      tool_use_id: 's2',
      content: results,
    })
    const refused = block(3, 'server_tool_result', {
      type: 'web_search_tool_result',
      tool_use_id: 's3',
      content: { type: 'web_search_tool_result_error', error_code: 'unavailable' },
    })
    const messages = write([...mcp, ...failed, ...search, ...refused])
    expect(messages).toMatchObject([
      {
        type: 'server_tool_call',
        final: true,
        delta: '{"a":1}',
        id: 's1',
        name: 'echo',
        server_name: 'srv',
      },
      {
        type: 'server_tool_result',
        final: true,
        id: 's1',
        name: 'mcp_tool_result',
        is_error: true,
      },
      {
        type: 'server_tool_result',
        final: true,
        id: 's2',
        name: 'web_search_tool_result',
        delta: JSON.stringify(results),
      },
      { type: 'server_tool_result', final: true, id: 's3', is_error: true },
    ])
    expect(messages[2]).not.toHaveProperty('is_error')
  })

  test.each<[string, ContentBlock, object]>([
    [
      'container_upload',
      { type: 'container_upload', file_id: 'f1' },
      { id: 'block_0', delta: '{"type":"container_upload","file_id":"f1"}' },
    ],
    [
      'compaction',
      { type: 'compaction', content: 'sum', encrypted_content: 'ENC', signature: 'S' },
      { delta: '{"type":"compaction","content":"sum"}' },
    ],
    [
      'fallback',
      { type: 'fallback', from: { model: 'a' }, to: { model: 'b' } },
      { name: 'fallback' },
    ],
    [
      'from_the_future',
      { type: 'from_the_future', id: 'x9', thing: { type: 't', encrypted_thing: 'ENC', seen: 1 } },
      { id: 'x9', delta: '{"type":"from_the_future","id":"x9","thing":{"type":"t","seen":1}}' },
    ],
  ])('[MAP-1] %s is represented, without data for the provider only', (name, content, expected) => {
    expect(write(block(0, 'other', content))).toMatchObject([
      { type: 'server_tool_result', final: true, name, ...expected },
    ])
  })
})

describe('[LIFE-14] the closing frame of an interrupted block is marked', () => {
  const start = (kind: 'text' | 'tool_call', content: ContentBlock): AgentEvent => ({
    type: 'block_start',
    agent,
    block: 0,
    kind,
    content,
  })
  const call = { type: 'tool_use', id: 't1', name: 'f', input: {} }
  const delta = (text: string): AgentEvent => ({ type: 'block_delta', agent, block: 0, text })
  const endCall = (inputText: string): AgentEvent => ({
    type: 'block_end',
    agent,
    block: 0,
    kind: 'tool_call',
    content: call,
    inputText,
  })
  const writeCut = (events: readonly AgentEvent[], toolInput: 'live' | 'buffered' = 'buffered') => {
    const writer = createEnvelopeWriter({ toolInput, maxBytes: 512 })
    const lines = events.flatMap((event) => writer.write(event))
    return [...lines, ...writer.finish()].map(decodeEnvelope)
  }

  test('for unclosed text', () => {
    const text = writeCut([start('text', { type: 'text', text: '' }), delta('half')])
    expect(text.map(({ final, interrupted }) => [final, interrupted])).toEqual([
      [false, undefined],
      [true, true],
    ])
  })

  test('for an unclosed live call', () => {
    const live = writeCut([start('tool_call', call), delta('{"a":')], 'live')
    expect(live.at(-1)).toMatchObject({ final: true, delta: '', interrupted: true })
  })

  test.each(['live', 'buffered'] as const)(
    'for a %s call that the provider closed inside its arguments, on its last frame only',
    (toolInput) => {
      const input = `{"content":"${'x'.repeat(2000)}`
      const messages = writeCut([start('tool_call', call), delta(input), endCall(input)], toolInput)
      expect(messages.length).toBeGreaterThan(3)
      expect(messages.map(({ interrupted }) => interrupted)).toEqual([
        ...messages.slice(1).map(() => undefined),
        true,
      ])
      expect(messages.map((message) => message.delta).join('')).toBe(input)
    },
  )

  test.each(['{"a":1}', '{}', 'no JSON', ''])(
    'but not for a call whose arguments are %j',
    (input) => {
      for (const toolInput of ['live', 'buffered'] as const) {
        const messages = writeCut(
          [start('tool_call', call), delta(input), endCall(input)],
          toolInput,
        )
        expect(messages.some(({ interrupted }) => interrupted !== undefined)).toBe(false)
      }
    },
  )
})
