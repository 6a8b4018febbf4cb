import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readArguments } from './read-arguments.ts'

test('any object is accepted as written', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
      const text = JSON.stringify(value, null, 2)
      expect(readArguments(text)).toEqual({ input: JSON.parse(text) })
    }),
  )
})

test.each(['', '{', '{"a":1,}', "{'a': 1}", 'path: a', '{"a":1} x'])(
  '%j is no JSON yet',
  (text) => {
    expect(readArguments(text).problem).toContain('not JSON')
  },
)

test.each(['[]', '1', 'null', '"text"', 'true'])('%s is no set of arguments', (text) => {
  expect(readArguments(text)).toEqual({ problem: expect.stringContaining('one object') })
})
