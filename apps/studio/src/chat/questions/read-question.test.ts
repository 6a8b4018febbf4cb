import { expect, test } from 'vitest'
import { readQuestion } from './read-question.ts'

test('a question is found by common names, with its options', () => {
  expect(readQuestion({ message: ' Which? ', choices: ['a', 'b', 'a'] })).toEqual({
    text: 'Which?',
    options: ['a', 'b'],
  })
  expect(readQuestion({ prompt: 'Name?', options: [] })).toEqual({ text: 'Name?', options: [] })
  expect(readQuestion({ question: 'Q', prompt: 'P', options: ['x'] })?.text).toBe('Q')
})

test('other inputs contain no question', () => {
  for (const input of [undefined, null, 'Which?', {}, { message: 5 }, { question: '  ' }, ['Q']]) {
    expect(readQuestion(input)).toBeUndefined()
  }
  expect(readQuestion({ question: 'x'.repeat(4_001) })).toBeUndefined()
})

test('options are shown all or not at all', () => {
  const options = (given: unknown) => readQuestion({ question: 'Q', options: given })?.options
  expect(options(['a', 5])).toEqual([])
  expect(options(['a', ' '])).toEqual([])
  expect(options(['x'.repeat(201)])).toEqual([])
  expect(options(Array.from({ length: 21 }, String))).toEqual([])
  expect(options({ a: 'b' })).toEqual([])
})
