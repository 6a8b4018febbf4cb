import fc from 'fast-check'
import { expect, test } from 'vitest'
import { describeError } from './describe-error.ts'

test('an error has its message once, its stack and its component', () => {
  const error = new RangeError('No such locale')
  expect(describeError(error, '\n    at Wire').split('No such locale')).toHaveLength(2)
  expect(describeError(error, '\n    at Wire')).toMatch(/at Wire$/)
  error.stack = 'wire@index.js:1'
  expect(describeError(error, '')).toBe('RangeError: No such locale\nwire@index.js:1')
})

test('any thrown value has a description', () => {
  fc.assert(
    fc.property(fc.anything({ withNullPrototype: true }), (thrown) => {
      expect(typeof describeError(thrown, '')).toBe('string')
    }),
  )
})
