import { expect, test } from 'vitest'
import type { Message } from '../../../events/index.ts'
import { removeForeign } from './message-params.ts'

const question: Message = { role: 'user', content: [{ type: 'text', text: 'Hi' }] }

test('removes everything that the Messages API rejects from another provider’s conversation', () => {
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
  expect(removeForeign(messages)).toEqual([
    question,
    { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'f', input: {} }] },
  ])
})

test('returns the same value for its own conversation', () => {
  const messages = [question]
  expect(removeForeign(messages)).toBe(messages)
})
