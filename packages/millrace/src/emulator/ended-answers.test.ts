import { expect, test } from 'vitest'
import { createEndedAnswers } from './ended-answers.ts'

const ask = (text: string) => [{ role: 'user', content: [{ type: 'text', text }] }]

test('an answer is over some time after its end, until one like it begins', () => {
  let now = 0
  const answers = createEndedAnswers(() => now)
  expect(answers.isLongAgo(ask('a'))).toBe(false)
  answers.end(ask('a'))
  now += 1000
  expect(answers.isLongAgo(ask('a'))).toBe(false)
  now += 1001
  expect(answers.isLongAgo(ask('a'))).toBe(true)
  expect(answers.isLongAgo(ask('b'))).toBe(false)
  answers.begin(ask('a'))
  expect(answers.isLongAgo(ask('a'))).toBe(false)
})

test('the oldest are forgotten', () => {
  let now = 0
  const answers = createEndedAnswers(() => now, 2)
  for (const text of ['a', 'b', 'c']) answers.end(ask(text))
  now += 5000
  expect(['a', 'b', 'c'].map((text) => answers.isLongAgo(ask(text)))).toEqual([false, true, true])
})
