import { expect, test } from 'vitest'
import { checkJsonSchema } from './check-json-schema.ts'

const schema = {
  type: 'object',
  properties: {
    path: { type: 'string' },
    mode: { enum: ['r', 'w'] },
    lines: { type: 'array', items: { type: ['integer', 'null'] } },
    at: { type: 'object', properties: { row: { type: 'integer' } }, required: ['row'] },
    version: { const: 2 },
    anything: {},
  },
  required: ['path'],
  additionalProperties: false,
}

function faults(value: unknown) {
  return checkJsonSchema(schema, value).map(
    ({ path = [], message }) => `${path.join('.')} ${message}`,
  )
}

test('accepts valid values and unknown keywords', () => {
  expect(faults({ path: 'a', mode: 'w', lines: [1, null], at: { row: 1 }, version: 2 })).toEqual([])
  expect(faults({ path: 'a', anything: { deep: [true] } })).toEqual([])
  expect(checkJsonSchema({ type: 'object', oneOf: [] }, {})).toEqual([])
  expect(checkJsonSchema({ type: 'newer' }, 5)).toEqual([])
})

test('reports each issue with its path', () => {
  expect(faults({ mode: 'x', lines: [1.5], at: {}, version: '2', extra: 1 })).toEqual([
    'path is required',
    'mode expected one of ["r","w"]',
    'lines.0 expected integer or null, got number',
    'at.row is required',
    'version expected one of [2]',
    'extra is not a known property',
  ])
  expect(faults([])).toEqual([' expected object, got array'])
  expect(faults(null)).toEqual([' expected object, got null'])
})

test('ignores properties inherited from Object.prototype', () => {
  const inherited = { type: 'object', required: ['toString'], properties: { a: {} } }
  expect(checkJsonSchema(inherited, {})).toHaveLength(1)
  expect(checkJsonSchema(inherited, { toString: 1, constructor: 2 })).toEqual([])
})
