import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isJsonPrefix } from './index.ts'

test('recognises every cut of an object or list as a prefix', () => {
  const value = fc.oneof(fc.dictionary(fc.string(), fc.jsonValue()), fc.array(fc.jsonValue()))
  fc.assert(
    fc.property(value, fc.nat(), (whole, at) => {
      const text = JSON.stringify(whole)
      expect(isJsonPrefix(text)).toBe(false)
      expect(isJsonPrefix(text.slice(0, 1 + (at % (text.length - 1))))).toBe(true)
    }),
  )
})

test.each(['', ' \n', '{}', '12', 'null', '{a', '{"a":1}}', 'run it', '[1,]'])(
  '%j is whole, blank or not JSON',
  (text) => {
    expect(isJsonPrefix(text)).toBe(false)
  },
)
