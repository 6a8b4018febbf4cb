import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonValue } from '../../json/index.ts'
import type { ParameterType } from '../parameter-types.ts'
import { coerceArgument, coerceArguments } from '../calls/typed-json.ts'

describe('coerceArgument', () => {
  test.each<[string, ParameterType, JsonValue]>([
    ['42', 'string', '42'],
    ['42', 'integer', 42],
    [' 42\n', 'integer', 42],
    ['1.0', 'integer', 1],
    ['1.5', 'integer', '1.5'],
    ['12345678901234567890', 'integer', '12345678901234567890'],
    ['1.5', 'number', 1.5],
    ['1e400', 'number', '1e400'],
    ['NaN', 'number', 'NaN'],
    ['true', 'boolean', true],
    ['False', 'boolean', false],
    ['yes', 'boolean', true],
    ['1', 'boolean', true],
    ['{"a": [1]}', 'object', { a: [1] }],
    ['[1]', 'object', '[1]'],
    ['[1, "b"]', 'array', [1, 'b']],
    ['a, b', 'array', 'a, b'],
    ['null', 'null', null],
    ['null', 'integer', 'null'],
    ['', 'integer', ''],
    ['"quoted"', 'string', '"quoted"'],
  ])('%j as %s', (text, type, value) => {
    expect(coerceArgument(text, type)).toEqual(value)
  })

  test('a value that nests too deeply stays text', () => {
    const deep = '['.repeat(200_000) + ']'.repeat(200_000)
    expect(coerceArgument(deep, 'array')).toBe(deep)
  })

  test('never throws, and returns text or a value of the type', () => {
    const types = ['integer', 'number', 'boolean', 'object', 'array', 'null'] as const
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.json(), fc.constantFrom('0', '1')),
        fc.constantFrom(...types),
        (text, type) => {
          const value = coerceArgument(text, type)
          if (typeof value === 'boolean') expect(value).toBe(/^(?:true|yes|1)$/i.test(text.trim()))
          else if (typeof value !== 'string') expect(value).toEqual(JSON.parse(text))
          else expect(value).toBe(text)
        },
      ),
    )
  })
})

test('coerceArguments changes only text with a type', () => {
  const values = JSON.parse(
    '{"n": "7", "s": "7", "list": ["7"], "__proto__": "7", "toString": "7"}',
  )
  const coerced = coerceArguments(values, { n: 'integer', s: 'string', list: 'integer' })
  expect(JSON.stringify(coerced)).toBe(
    '{"n":7,"s":"7","list":["7"],"__proto__":"7","toString":"7"}',
  )
})
