import fc from 'fast-check'
import { expect, test } from 'vitest'
import { describeFault } from './describe-error.ts'

test('a fault is told with its message once, its stack, and where it was', () => {
  const error = new RangeError('No such locale')
  expect(describeFault(error, '\n    at Wire').split('No such locale')).toHaveLength(2)
  expect(describeFault(error, '\n    at Wire')).toMatch(/at Wire$/)
  error.stack = 'wire@index.js:1'
  expect(describeFault(error, '')).toBe('RangeError: No such locale\nwire@index.js:1')
})

test('anything that is thrown can be told', () => {
  fc.assert(
    fc.property(fc.anything({ withNullPrototype: true }), (thrown) => {
      expect(typeof describeFault(thrown, '')).toBe('string')
    }),
  )
})
