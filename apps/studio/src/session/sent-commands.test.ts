import { expect, test } from 'vitest'
import { MAX_KEPT, createSentCommands } from './sent-commands.ts'

test('the latest command of a call is kept, truncated, and marked as rejected', () => {
  const sent = createSentCommands()
  let notices = 0
  sent.subscribe(() => notices++)
  sent.markRejected('t')
  expect(sent.get('t')).toBeUndefined()
  sent.add('t', { kind: 'answer', content: 'x'.repeat(MAX_KEPT + 1) })
  expect(sent.get('t')?.content).toHaveLength(MAX_KEPT)
  sent.add('t', { kind: 'answer', content: 'no' })
  expect(sent.get('t')).toBe(sent.get('t'))
  sent.markRejected('t')
  expect(sent.get('t')).toEqual({ kind: 'answer', content: 'no', isRejected: true })
  expect(notices).toBe(3)
})

test('the oldest commands are dropped first', () => {
  const sent = createSentCommands({ maxCalls: 2 })
  for (const id of ['one', 'two', 'one', 'three']) {
    sent.add(id, { kind: 'deny', content: '' })
  }
  expect(['one', 'two', 'three'].filter((id) => sent.get(id))).toEqual(['one', 'three'])
})
