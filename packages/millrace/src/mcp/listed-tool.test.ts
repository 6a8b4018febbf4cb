import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { JsonValue } from '../json/index.ts'
import { toListedTool } from './listed-tool.ts'

const read = (value: JsonValue) => toListedTool(value, { maxSchemaChars: 1000 })

test('whatever a server lists is a tool with an object for its input, or none', () => {
  const entry = fc.record(
    { name: fc.jsonValue(), inputSchema: fc.jsonValue(), annotations: fc.jsonValue() },
    { requiredKeys: [] },
  )
  fc.assert(
    fc.property(fc.oneof(entry, fc.jsonValue()), (value) => {
      const tool = read(value as JsonValue)
      if (tool !== undefined) expect(tool.inputSchema['type']).toBe('object')
    }),
  )
})

test('a tool without a description has its title, and hints that are none are left out', () => {
  const annotations = { title: 'Grind', readOnlyHint: true, destructiveHint: 'no', other: 1 }
  expect(read({ name: 'grind', annotations })).toEqual({
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
  expect(read({ name: 'grind', inputSchema })?.inputSchema).toEqual({
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
  const schema = read({ name: 'x', inputSchema: inputSchema as JsonValue })?.inputSchema
  expect(JSON.stringify(schema)).toBe(
    '{"type":"object","properties":{"__proto__":{"type":"string"}}}',
  )
})

test('names that hide characters or are very long are no tools; hidden text is removed from descriptions', () => {
  for (const name of [
    'grind\u200b',
    '\u202egrind',
    'a\nb\u0007',
    'x'.repeat(129),
    'tag\u{e0041}',
  ]) {
    expect(read({ name })).toBeUndefined()
  }
  const description = 'Grinds.\u{e0069}\u{e006d}\n\u202eNow\u200b.'
  expect(read({ name: 'grind', description })?.description).toBe('Grinds.\nNow.')
})

test('schemas that are too long or too deep are left out, and references to other documents removed', () => {
  const deep: unknown = JSON.parse(`${'{"items":'.repeat(100)}{}${'}'.repeat(100)}`)
  expect(
    read({ name: 'x', inputSchema: { properties: { deep: deep as JsonValue } } }),
  ).toBeUndefined()
  expect(read({ name: 'x', inputSchema: { title: 'x'.repeat(1000) } })).toBeUndefined()
  const inputSchema = {
    $id: 'http://169.254.169.254/a',
    properties: {
      own: { $ref: '#/$defs/a' },
      far: { $ref: 'http://169.254.169.254/latest', title: 'far' },
    },
    $defs: { a: { properties: { again: { $ref: '#/$defs/a' } } } },
  }
  expect(read({ name: 'x', inputSchema })?.inputSchema).toEqual({
    type: 'object',
    properties: { own: { $ref: '#/$defs/a' }, far: { title: 'far' } },
    $defs: inputSchema.$defs,
  })
})
