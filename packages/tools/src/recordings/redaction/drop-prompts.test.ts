import fc from 'fast-check'
import { expect, test } from 'vitest'
import { dropPrompts } from './drop-prompts.ts'

test('replaces texts by their lengths and keeps the structure of a request', () => {
  const request = {
    model: 'claude-sonnet-5',
    max_tokens: 100,
    stream: true,
    system: [{ type: 'text', text: 'You run a mill.', cache_control: { type: 'ephemeral' } }],
    messages: [
      { role: 'user', content: 'Grind!' },
      {
        role: 'assistant',
        content: [
          { type: 'tool_use', id: 'toolu_1', name: 'grind', input: { name: 'Wheat', kg: 2 } },
        ],
      },
    ],
    tools: [{ name: 'grind', description: 'Grinds.', input_schema: { type: 'object' } }],
  }
  expect(JSON.parse(dropPrompts(JSON.stringify(request)) ?? '')).toEqual({
    ...request,
    system: [{ type: 'text', text: '[15 characters]', cache_control: { type: 'ephemeral' } }],
    messages: [
      { role: 'user', content: '[6 characters]' },
      {
        role: 'assistant',
        content: [
          {
            type: 'tool_use',
            id: 'toolu_1',
            name: 'grind',
            input: { name: '[5 characters]', kg: 2 },
          },
        ],
      },
    ],
    tools: [{ name: 'grind', description: '[7 characters]', input_schema: { type: 'object' } }],
  })
})

test('removes every sentence, wherever it is', () => {
  const sentence = 'The miller’s secret, told to nobody.'
  const fields = fc.constantFrom('content', 'text', 'name', 'type', 'input', 'arguments', 'id', 'x')
  const { request } = fc.letrec((tie) => ({
    request: fc.oneof(
      { depthSize: 'small' },
      fc.constant(sentence),
      fc.array(tie('request'), { maxLength: 3 }),
      fc.dictionary(fields, tie('request'), { maxKeys: 4 }),
    ),
  }))
  fc.assert(
    fc.property(request, (body) => {
      expect(dropPrompts(JSON.stringify(body))).not.toContain('miller')
    }),
  )
})

test('returns undefined for a body that is not JSON', () => {
  expect(dropPrompts('prompt=Grind!')).toBeUndefined()
})
