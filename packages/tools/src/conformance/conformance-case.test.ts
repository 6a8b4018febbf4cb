import { describe, expect, test } from 'vitest'
import type { JsonObject } from 'millrace'
import { parseCases, UNREADABLE } from './conformance-case.ts'

const parse = (fields: JsonObject) => parseCases(JSON.stringify({ name: 'x', ...fields }))[0]

describe('lines without input are known by their fields', () => {
  test.each<[string, JsonObject]>([
    ['segments', { strategy: 'xml', chunks: ['a', 'b'], expected: [] }],
    ['native_tool_calls', { strategy: 'api_tool_call:deltas', chunks: [{}], expected: [] }],
    ['formats', { format: 'think', text: 'a', expected: [] }],
  ])('%s', (kind, fields) => {
    expect(parse(fields)?.kind).toBe(kind)
    expect(parse({ ...fields, kind })).toEqual(parse(fields))
    expect(parse({ ...fields, kind: 'telepathy' })?.kind).toBe(UNREADABLE)
  })

  test('each part of an expectation has a name', () => {
    const one = parse({ strategy: 'json:openai', chunks: [], expected: [], invocations: [] })
    expect(one?.input).toEqual({ strategy: 'json:openai', chunks: [] })
    expect(one?.expected).toEqual({ segments: [], invocations: [] })
  })

  test('a line that matches no kind is unreadable', () => {
    expect(parse({ strategy: 'xml', chunks: ['a', 1], expected: [] })?.kind).toBe(UNREADABLE)
    expect(parse({ format: 'think', expected: [] })?.kind).toBe(UNREADABLE)
    expect(parse({ format: 'think', text: 'a' })?.kind).toBe(UNREADABLE)
  })
})
