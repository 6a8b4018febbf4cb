import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { JsonValue } from '../json/index.ts'
import { toListedTool } from './listed-tool.ts'

test('whatever a server lists is a tool with an object for its input, or none', () => {
  const entry = fc.record(
    { name: fc.jsonValue(), inputSchema: fc.jsonValue(), annotations: fc.jsonValue() },
    { requiredKeys: [] },
  )
  fc.assert(
    fc.property(fc.oneof(entry, fc.jsonValue()), (value) => {
      const tool = toListedTool(value as JsonValue)
      if (tool !== undefined) expect(tool.inputSchema['type']).toBe('object')
    }),
  )
})

test('a tool without a description has its title, and hints that are none are left out', () => {
  const annotations = { title: 'Grind', readOnlyHint: true, destructiveHint: 'no', other: 1 }
  expect(toListedTool({ name: 'grind', annotations })).toEqual({
    name: 'grind',
    description: 'Grind',
    inputSchema: { type: 'object', properties: {} },
    annotations: { title: 'Grind', readOnlyHint: true },
  })
})

test('choices at the top of a schema, which model APIs refuse, become properties to choose from', () => {
  const inputSchema = {
    $defs: { grain: { type: 'string' } },
    properties: { amount: { type: 'number' } },
    required: ['amount'],
    allOf: [{ properties: { grain: { $ref: '#/$defs/grain' } }, required: ['grain', 'amount'] }],
    oneOf: [
      { properties: { coarse: { type: 'boolean' } }, required: ['coarse'] },
      { properties: { fine: { type: 'boolean' }, amount: { type: 'string' } } },
    ],
  }
  expect(toListedTool({ name: 'grind', inputSchema })?.inputSchema).toEqual({
    $defs: { grain: { type: 'string' } },
    type: 'object',
    properties: {
      grain: { $ref: '#/$defs/grain' },
      coarse: { type: 'boolean' },
      fine: { type: 'boolean' },
      amount: { type: 'number' },
    },
    required: ['amount', 'grain'],
  })
})

test('a property named __proto__ stays a property', () => {
  const inputSchema: unknown = JSON.parse('{"properties":{"__proto__":{"type":"string"}}}')
  const schema = toListedTool({ name: 'x', inputSchema: inputSchema as JsonValue })?.inputSchema
  expect(JSON.stringify(schema)).toBe(
    '{"type":"object","properties":{"__proto__":{"type":"string"}}}',
  )
})
