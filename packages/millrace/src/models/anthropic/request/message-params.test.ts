import { describe, expect, test } from 'vitest'
import type { CachePlan, ModelRequest } from '../../../events/index.ts'
import { toMessageParams } from './message-params.ts'

const mark = { cache_control: { type: 'ephemeral' } }
const thought = { type: 'thinking', thinking: 'hm', signature: 's' }
const request: ModelRequest = {
  messages: [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ],
    },
    { role: 'assistant', content: [thought, { type: 'text', text: ' ' }] },
  ],
  system: 'Be kind.',
  tools: ['f', 'g'].map((name) => ({ name, description: '', inputSchema: {} })),
  maxTokens: 10,
}

function paramsOf(cache: CachePlan, extra = {}) {
  return toMessageParams('model-1', { ...request, cache }, extra)
}

describe('a cache plan', () => {
  test('adds marks to the system prompt, the last tool and its blocks', () => {
    const before = structuredClone(request)
    const { messages, system, tools } = paramsOf({
      system: true,
      tools: true,
      blocks: [{ message: 0, block: 1 }],
    })
    expect(system).toEqual([{ type: 'text', text: 'Be kind.', ...mark }])
    expect(tools?.map((tool) => 'cache_control' in tool)).toEqual([false, true])
    expect(messages[0]?.content).toEqual([
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b', ...mark },
    ])
    expect(messages[1]).toBe(request.messages[1])
    expect(request).toEqual(before)
  })

  test('that is absent changes nothing', () => {
    const { system, messages } = paramsOf({})
    expect(system).toBe('Be kind.')
    expect(messages).toBe(request.messages)
  })

  test('adds no mark that the API rejects, even if it is outdated', () => {
    const blocks = [0, 1, 9].map((block) => ({ message: 1, block }))
    const { messages } = paramsOf({ blocks: [...blocks, { message: 9, block: 0 }] })
    expect(messages).toEqual(request.messages)
  })

  test('refers to messages before foreign content is removed', () => {
    const foreign = { ...thought, openai: {} }
    const messages = [
      { role: 'assistant' as const, content: [foreign] },
      ...request.messages.slice(0, 1),
    ]
    const cache = { blocks: [{ message: 1, block: 0 }] }
    const params = toMessageParams('model-1', { ...request, messages, cache }, {})
    expect(params.messages).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'a', ...mark },
          { type: 'text', text: 'b' },
        ],
      },
    ])
  })

  test.each([
    ['the request', mark],
    ['the system prompt', { system: [{ type: 'text', text: 'Own.', ...mark }] }],
    ['a tool', { tools: [{ name: 'h', input_schema: { type: 'object' }, ...mark }] }],
  ])('is replaced by marks of fixed parameters on %s', (_, extra) => {
    const plan = { system: true, tools: true, blocks: [{ message: 0, block: 0 }] }
    expect(paramsOf(plan, extra)).toEqual(paramsOf({}, extra))
  })
})

test.each([
  ['auto', { type: 'auto' }],
  ['none', { type: 'none' }],
  ['required', { type: 'any' }],
  [{ tool: 'f' }, { type: 'tool', name: 'f' }],
] as const)('a tool choice of %j replaces that of fixed parameters', (toolChoice, expected) => {
  const extra = { tool_choice: { type: 'any' } } as const
  const params = toMessageParams('model-1', { ...request, toolChoice }, extra)
  expect(params.tool_choice).toEqual(expected)
  expect(toMessageParams('model-1', request, extra)).toMatchObject(extra)
  const { tools: _, ...bare } = request
  expect(toMessageParams('model-1', { ...bare, toolChoice }, {})).not.toHaveProperty('tool_choice')
})
