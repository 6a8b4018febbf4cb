import { expect, test } from 'vitest'
import type { JsonValue } from '../../json/index.ts'
import { toParameterTypes } from '../parameter-types.ts'

test.each<[string, JsonValue, string | undefined]>([
  ['a type', { type: 'integer' }, 'integer'],
  ['the first type of a list that is not null', { type: ['null', 'number', 'string'] }, 'number'],
  ['null alone', { type: 'null' }, 'null'],
  ['the type of a constant', { const: 5 }, 'integer'],
  ['the one type of an enum', { enum: ['a', 'b', null] }, 'string'],
  ['integers among numbers', { enum: [1, 2.5] }, 'number'],
  ['anyOf with null', { anyOf: [{ type: 'null' }, { type: 'object' }] }, 'object'],
  ['oneOf of one type', { oneOf: [{ type: 'array' }, { enum: [[1]] }] }, 'array'],
  ['different types', { anyOf: [{ type: 'string' }, { type: 'integer' }] }, undefined],
  ['an enum of different types', { enum: ['a', 1] }, undefined],
  ['a type that JSON Schema does not have', { type: 'date' }, undefined],
  ['a reference', { anyOf: [{ $ref: '#/x' }, { type: 'null' }] }, undefined],
  ['anything', {}, undefined],
  ['true', true, undefined],
])('%s', (_, property, type) => {
  const types = toParameterTypes({ type: 'object', properties: { p: property } })
  expect(types).toEqual(type === undefined ? {} : { p: type })
})

test('a schema without properties has no types', () => {
  expect(toParameterTypes({ type: 'object' })).toEqual({})
})

test('a parameter may be named __proto__', () => {
  const types = toParameterTypes(JSON.parse('{"properties": {"__proto__": {"type": "integer"}}}'))
  expect(Object.keys(types)).toEqual(['__proto__'])
})
