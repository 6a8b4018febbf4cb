import fc from 'fast-check'
import { expect, test } from 'vitest'
import { describeError } from './describe-error.ts'

test('a fault is told with its message once, its stack, and where it was', () => {
  const error = new RangeError('No such locale')
  expect(describeError(error, '\n    at Wire').split('No such locale')).toHaveLength(2)
  expect(describeError(error, '\n    at Wire')).toMatch(/at Wire$/)
  error.stack = 'wire@index.js:1'
  expect(describeError(error, '')).toBe('RangeError: No such locale\nwire@index.js:1')
})

test('anything that is thrown can be told', () => {
  fc.assert(
    fc.property(fc.anything({ withNullPrototype: true }), (thrown) => {
      expect(typeof describeError(thrown, '')).toBe('string')
    }),
  )
})
