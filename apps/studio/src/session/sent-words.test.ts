import { expect, test } from 'vitest'
import { createSentWords, MAX_KEPT } from './sent-words.ts'

const call = (toolUseId: string) => ({ agent: 'a', toolUseId })

test('the latest word for a call is kept, cut if it is long, and known to be late once that is told', () => {
  const sent = createSentWords()
  let told = 0
  sent.subscribe(() => told++)
  sent.markLate(call('t'))
  expect(sent.get(call('t'))).toBeUndefined()
  sent.add(call('t'), { deed: 'answer', content: 'x'.repeat(MAX_KEPT + 1) })
  expect(sent.get(call('t'))?.content).toHaveLength(MAX_KEPT)
  sent.add(call('t'), { deed: 'answer', content: 'no' })
  expect(sent.get(call('t'))).toBe(sent.get(call('t')))
  sent.markLate(call('t'))
  expect(sent.get(call('t'))).toEqual({ deed: 'answer', content: 'no', isLate: true })
  expect(sent.get({ agent: 'b', toolUseId: 't' })).toBeUndefined()
  expect(told).toBe(3)
})

test('the oldest words are forgotten first', () => {
  const sent = createSentWords({ maxCalls: 2 })
  for (const id of ['one', 'two', 'one', 'three']) {
    sent.add(call(id), { deed: 'refuse', content: '' })
  }
  expect(['one', 'two', 'three'].filter((id) => sent.get(call(id)))).toEqual(['one', 'three'])
})
