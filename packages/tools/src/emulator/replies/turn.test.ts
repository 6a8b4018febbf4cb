import { expect, test } from 'vitest'
import type { RequestMessage } from '../request/request-content.ts'
import { toTurn } from './turn.ts'

const text = (words: string) => ({ type: 'text', text: words })

function turnOf(...messages: RequestMessage[]) {
  return toTurn({ messages, tools: new Set() })
}

test('the newest question is the prompt, after an unanswered one', () => {
  const turn = turnOf({ role: 'user', content: [text('/demo error'), text(' /demo tools ')] })
  expect(turn.prompt).toBe('/demo tools')
})

test('a question next to the results of abandoned calls is the prompt', () => {
  const call = { type: 'tool_use', id: 't1', name: 'user_confirm', input: {} }
  const result = { type: 'tool_result', tool_use_id: 't1', content: 'never mind', is_error: true }
  const turn = turnOf(
    { role: 'user', content: [text('/demo frontend')] },
    { role: 'assistant', content: [call] },
    { role: 'user', content: [result, text('/demo text')] },
  )
  expect(turn).toMatchObject({ prompt: '/demo text', step: 0, results: [] })
})

test('steps and results are counted from the prompt', () => {
  const call = { type: 'tool_use', id: 't1', name: 'get_time', input: { city: 'Bern' } }
  const turn = turnOf(
    { role: 'user', content: [text('/demo tools')] },
    { role: 'assistant', content: [call] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'noon' }] },
  )
  expect(turn).toMatchObject({
    step: 1,
    results: [{ name: 'get_time', text: 'noon', isError: false }],
  })
})
