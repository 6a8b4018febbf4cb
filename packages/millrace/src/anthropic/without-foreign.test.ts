import { expect, test } from 'vitest'
import type { Message } from '../events/index.ts'
import { withoutForeign } from './without-foreign.ts'

const question: Message = { role: 'user', content: [{ type: 'text', text: 'Hi' }] }

test('a conversation that another provider began holds nothing that the Messages API refuses', () => {
  const messages: Message[] = [
    question,
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'hm', signature: '', openai: { reasoning: 'hm' } },
        { type: 'tool_use', id: 'a', name: 'f', input: {}, openai: { extra_content: {} } },
      ],
    },
  ]
  expect(withoutForeign(messages)).toEqual([
    question,
    { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'f', input: {} }] },
  ])
})

test('a conversation of its own stays the same value', () => {
  const messages = [question]
  expect(withoutForeign(messages)).toBe(messages)
})
