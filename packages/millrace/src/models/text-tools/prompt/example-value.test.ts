import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { endOf } from '../../../../test/support/models/anthropic-events.ts'
import { anySchema } from '../../../../test/support/models/any-schema.ts'
import { readAnswer, syntaxes } from '../../../../test/support/models/text-tools.ts'
import type { JsonObject } from '../../../json/index.ts'
import { toParameterTypes } from '../../../segments/index.ts'
import { checkJsonSchema } from '../../../tools/check-json-schema.ts'
import { chooseSyntax } from '../choose-syntax.ts'
import { exampleArguments } from './example-value.ts'

test('examples are valid for the tool', () => {
  fc.assert(
    fc.property(anySchema, (schema) => {
      expect(checkJsonSchema(schema, exampleArguments(schema))).toEqual([])
    }),
    { numRuns: 500 },
  )
})

test.each(syntaxes)('the worked example in %s is read as the call that it shows', (syntax) => {
  const { notation } = chooseSyntax({ syntax }, 'any')
  fc.assert(
    fc.property(anySchema, (inputSchema) => {
      const input = exampleArguments(inputSchema)
      const text = notation.writeCall('f', input, toParameterTypes(inputSchema))
      const events = readAnswer([text], [{ name: 'f', description: '', inputSchema }], { syntax })
      expect(endOf(events).content).toMatchObject([{ type: 'tool_use', name: 'f', input }])
    }),
  )
})

describe('values', () => {
  const of = (property: JsonObject, name = 'value') =>
    exampleArguments({ type: 'object', properties: { [name]: property } })[name]

  test('are plausible for their names and formats', () => {
    expect(of({ type: 'string' }, 'homeCity')).toBe('Oslo')
    expect(of({ type: 'string' }, 'file_path')).toBe('notes/todo.txt')
    expect(of({ type: 'string', format: 'date' }, 'when')).toBe('2026-01-31')
    expect(of({ type: 'string' }, 'zzz')).toBe('example')
  })

  test('are those of the schema, if it has some', () => {
    expect(of({ type: 'string', enum: ['a', 'b'], default: 'b' })).toBe('b')
    expect(of({ type: 'integer', examples: [7], default: 8 })).toBe(7)
    expect(of({ const: null })).toBe(null)
  })

  test('stay within limits', () => {
    expect(of({ type: 'integer', minimum: 10 })).toBe(10)
    expect(of({ type: 'integer', maximum: -2 })).toBe(-2)
    expect(of({ type: 'integer', multipleOf: 4 })).toBe(4)
    expect(of({ type: 'number', exclusiveMaximum: 1 })).toBe(0.5)
    expect(of({ type: 'string', minLength: 10 }, 'city')).toBe('OsloOsloOslo')
    expect(of({ type: 'array', items: { type: 'boolean' }, minItems: 2 })).toEqual([true, true])
  })

  test('are finite for a recursive schema', () => {
    const node = {
      type: 'object',
      required: ['next'],
      properties: { next: { $ref: '#/$defs/node' } },
    }
    const schema = {
      type: 'object',
      required: ['list'],
      properties: { list: { $ref: '#/$defs/node' } },
      $defs: { node },
    }
    expect(JSON.stringify(exampleArguments(schema)).length).toBeLessThan(200)
    const circle = { $ref: '#/$defs/a', $defs: { a: { allOf: [{ $ref: '#/$defs/a' }] } } }
    expect(exampleArguments(circle)).toEqual({})
  })
})
