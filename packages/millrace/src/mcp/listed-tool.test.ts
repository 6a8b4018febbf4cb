import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { JsonValue } from '../json/index.ts'
import { toListedTool } from './listed-tool.ts'

const read = (value: JsonValue) => toListedTool(value, { maxSchemaChars: 1000 })

test('converts any list entry to a tool with an object schema, or drops it', () => {
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

test('uses the title if there is no description, and drops invalid hints', () => {
  const annotations = { title: 'Grind', readOnlyHint: true, destructiveHint: 'no', other: 1 }
  expect(read({ name: 'grind', annotations })).toEqual({
    name: 'grind',
    description: 'Grind',
    inputSchema: { type: 'object', properties: {} },
    annotations: { title: 'Grind', readOnlyHint: true },
  })
})

test('merges alternatives at the top of a schema, which model APIs reject', () => {
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

test('keeps a property named __proto__', () => {
  const inputSchema: unknown = JSON.parse('{"properties":{"__proto__":{"type":"string"}}}')
  const schema = read({ name: 'x', inputSchema: inputSchema as JsonValue })?.inputSchema
  expect(JSON.stringify(schema)).toBe(
    '{"type":"object","properties":{"__proto__":{"type":"string"}}}',
  )
})

test('drops tools with hidden characters in their name or a very long name, and removes hidden text from descriptions', () => {
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

test('drops tools with schemas that are too long or too deep, and removes references to other documents', () => {
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
