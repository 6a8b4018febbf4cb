import { expect, test } from 'vitest'
import { MAX_KEPT, createSentWords } from './sent-commands.ts'

test('the latest word for a call is kept, cut if it is long, and known to be late once that is told', () => {
  const sent = createSentWords()
  let told = 0
  sent.subscribe(() => told++)
  sent.markLate('t')
  expect(sent.get('t')).toBeUndefined()
  sent.add('t', { deed: 'answer', content: 'x'.repeat(MAX_KEPT + 1) })
  expect(sent.get('t')?.content).toHaveLength(MAX_KEPT)
  sent.add('t', { deed: 'answer', content: 'no' })
  expect(sent.get('t')).toBe(sent.get('t'))
  sent.markLate('t')
  expect(sent.get('t')).toEqual({ deed: 'answer', content: 'no', isLate: true })
  expect(told).toBe(3)
})

test('the oldest words are forgotten first', () => {
  const sent = createSentWords({ maxCalls: 2 })
  for (const id of ['one', 'two', 'one', 'three']) {
    sent.add(id, { deed: 'refuse', content: '' })
  }
  expect(['one', 'two', 'three'].filter((id) => sent.get(id))).toEqual(['one', 'three'])
})
