import { expect, test } from 'vitest'
import { createEndedAnswers } from './ended-answers.ts'

const ask = (text: string) => [{ role: 'user', content: [{ type: 'text', text }] }]

test('an answer is long ago some time after its end, until the same answer begins again', () => {
  let now = 0
  const answers = createEndedAnswers(() => now)
  answers.begin(ask('a'))
  expect(answers.isLongAgo(ask('a'))).toBe(false)
  answers.end(ask('a'))
  now += 1000
  expect(answers.isLongAgo(ask('a'))).toBe(false)
  now += 1001
  expect(answers.isLongAgo(ask('a'))).toBe(true)
  answers.begin(ask('a'))
  expect(answers.isLongAgo(ask('a'))).toBe(false)
})

test('answers of an earlier process, and the oldest of many, are long ago', () => {
  const answers = createEndedAnswers(() => 0, 2)
  for (const text of ['a', 'b', 'c']) answers.begin(ask(text))
  const received = ['a', 'b', 'c', 'd'].map((text) => answers.isLongAgo(ask(text)))
  expect(received).toEqual([true, false, false, true])
})
