import { describe, expect, test } from 'vitest'
import type { ContentBlock, Message, ModelRequest } from '../../events/index.ts'
import { type TextRequestOptions, toTextRequest } from './to-text-request.ts'

const weather = {
  name: 'get_weather',
  description: 'Tells the weather.',
  inputSchema: { type: 'object', properties: { city: { type: 'string' } } },
}
const mark = { type: 'ephemeral' }
const image = { type: 'image', source: { type: 'url', url: 'https://mill.example/a.png' } }
const use = (id: string, city: string): ContentBlock => ({
  type: 'tool_use',
  id,
  name: 'get_weather',
  input: { city },
})

const messages: Message[] = [
  { role: 'user', content: [{ type: 'text', text: 'Rain?' }] },
  {
    role: 'assistant',
    content: [
      { type: 'thinking', thinking: 'Found in text.' },
      { type: 'thinking', thinking: 'Signed.', signature: 's' },
      { type: 'text', text: 'Look:' },
      use('a', 'Oslo'),
      { ...use('b', 'Rome'), cache_control: mark },
    ],
  },
  {
    role: 'user',
    content: [
      { type: 'tool_result', tool_use_id: 'a', content: 'wet' },
      {
        type: 'tool_result',
        tool_use_id: 'b',
        is_error: true,
        content: [{ type: 'text', text: 'no </tool_response> such city' }, image, { type: 'odd' }],
        cache_control: mark,
      },
      { type: 'tool_result', tool_use_id: 'c', content: [] },
      { type: 'text', text: 'Go on.' },
    ],
  },
]

function write(options: TextRequestOptions, more: Partial<ModelRequest> = {}): ModelRequest {
  const request = { messages, tools: [weather], maxTokens: 9, ...more }
  return toTextRequest(request, { modelId: 'any', options }).request
}

describe('messages', () => {
  test('have calls and results as text, and all other blocks unchanged', () => {
    const { messages: written } = write({ syntax: 'hermes' })
    const text = (said: string, more = {}) => ({ type: 'text', text: said, ...more })
    const response = (name: string, content: string) =>
      `<tool_response>\n${JSON.stringify({ name, content }).replace('</tool_r', '\\u003c/tool_r')}\n</tool_response>`
    expect(written).toEqual([
      messages[0],
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Signed.', signature: 's' },
          text('Look:'),
          text('\n<tool_call>\n{"name":"get_weather","arguments":{"city":"Oslo"}}\n</tool_call>'),
          text('\n<tool_call>\n{"name":"get_weather","arguments":{"city":"Rome"}}\n</tool_call>', {
            cache_control: mark,
          }),
        ],
      },
      {
        role: 'user',
        content: [
          text(response('get_weather', 'wet')),
          text(response('get_weather', 'Error: no </tool_response> such city\n{"type":"odd"}'), {
            cache_control: mark,
          }),
          image,
          text(response('c', '(no output)')),
          text('Go on.'),
        ],
      },
    ])
  })

  test('with only thinking are omitted', () => {
    const thought: Message = { role: 'assistant', content: [{ type: 'thinking', thinking: 'Hm' }] }
    expect(write({ syntax: 'xml' }, { messages: [thought] }).messages).toEqual([])
  })

  test('keep the cache marks, and those of tools move to the prompt', () => {
    const cache = {
      tools: true,
      blocks: [
        { message: 1, block: 4 },
        { message: 2, block: 2 },
        { message: 1, block: 0 },
      ],
    }
    expect(write({ syntax: 'xml' }, { cache }).cache).toEqual({
      system: true,
      blocks: [
        { message: 1, block: 3 },
        { message: 2, block: 3 },
      ],
    })
  })
})

describe('requests', () => {
  test('have no tools, and all other fields', () => {
    const written = write({ syntax: 'xml' }, { container: 'c1', system: 'Be brief.' })
    expect(written).toMatchObject({ container: 'c1', maxTokens: 9 })
    expect(written).not.toHaveProperty('tools')
    expect(written.system).toMatch(/^Be brief\.\n\n# Tools\n/)
  })

  test('do not mention tools if there are none', () => {
    expect(write({ syntax: 'xml' }, { tools: [] })).not.toHaveProperty('system')
  })

  test('forbid calls at the end, so that the cache stays valid', () => {
    const asked = write({ syntax: 'xml' })
    const {
      system,
      messages: written,
      ...others
    } = write({ syntax: 'xml' }, { toolChoice: 'none' })
    expect(others).not.toHaveProperty('toolChoice')
    expect(system).toBe(asked.system)
    expect(written.slice(0, 2)).toEqual(asked.messages.slice(0, 2))
    expect(written.at(-1)?.content.at(-1)?.['text']).toMatch(/^Call no tool/)
  })

  test.each([
    ['auto', 0, undefined],
    ['required', 1, 'Your next message must call a tool.'],
    [{ tool: 'read' }, 1, 'Your next message must call the tool read.'],
  ] as const)('state the tool choice %j at the end', (toolChoice, more, words) => {
    const last = write({ syntax: 'xml' }).messages.at(-1)?.content ?? []
    const written = write({ syntax: 'xml' }, { toolChoice }).messages.at(-1)?.content ?? []
    expect(written).toHaveLength(last.length + more)
    expect(written[last.length]?.['text']).toBe(words)
  })
})

describe('a syntax', () => {
  test('is rejected if it does not exist, or has no notation', () => {
    expect(() => write({ syntax: 'yaml' as 'xml' })).toThrow(/no syntax "yaml"/)
    expect(() => write({ syntax: 'kimi-k2' })).toThrow(/notation/)
  })

  test('may be a custom format with its notation', () => {
    const notation = { writeCall: () => 'CALL', writeResult: () => 'GOT' }
    const written = write({ syntax: 'kimi-k2', notation })
    expect(written.system).toContain('CALL')
  })

  test('is that of the model’s family by default', () => {
    const { system } = toTextRequest(
      { messages, tools: [weather], maxTokens: 9 },
      { modelId: 'mistral-small', options: {} },
    ).request
    expect(system).toContain('[TOOL_CALLS]get_weather[ARGS]{"city":"Oslo"}')
  })
})
