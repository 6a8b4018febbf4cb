import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonObject, JsonValue } from 'millrace'
import type { Answer, Fed } from '../implementation.ts'
import {
  decodeAnswer,
  decodeHello,
  decodeTask,
  encodeAnswer,
  encodeHello,
  encodeTask,
  type Hello,
} from './messages.ts'

const text = fc.string({ unit: 'binary' })
const json = fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)) as JsonValue)
const object: fc.Arbitrary<JsonObject> = fc.dictionary(text, json).map((value) => ({ ...value }))
const fed: fc.Arbitrary<Fed> = fc.oneof(
  fc.array(fc.uint8Array()).map((pieces): Fed => ({ form: 'bytes', pieces })),
  fc.array(text).map((pieces): Fed => ({ form: 'text', pieces })),
  fc.array(json).map((pieces): Fed => ({ form: 'values', pieces })),
)

test('[ADAPT-3] a task round-trips through its line, and a line is one line', () => {
  const task = fc.record(
    { name: text, kind: text, input: object, feeding: text, fed },
    { requiredKeys: ['name', 'kind', 'input'] },
  )
  fc.assert(
    fc.property(fc.nat(), task, (id, one) => {
      const line = encodeTask({ id, task: one })
      expect(line).not.toContain('\n')
      expect(decodeTask(line)).toEqual({ id, task: one })
    }),
  )
})

test('[ADAPT-5] an answer round-trips through its line', () => {
  const answer: fc.Arbitrary<Answer> = fc.oneof(
    fc.record({ output: object }),
    fc.record({ error: text }),
    fc.record({ unsupported: text }),
  )
  fc.assert(
    fc.property(fc.nat(), answer, (id, one) => {
      expect(decodeAnswer(encodeAnswer({ id, answer: one }))).toEqual({ id, answer: one })
    }),
  )
})

const hello: Hello = {
  protocol: 1,
  name: 'a',
  version: '1',
  kinds: ['cost'],
  units: 'utf-16',
}

test('[ADAPT-2] a hello may omit its units, and have unknown fields', () => {
  expect(decodeHello(encodeHello(hello))).toEqual(hello)
  const { units: _, ...rest } = hello
  const line = JSON.stringify({ hello: { ...rest, mood: 'good' } })
  expect(decodeHello(line)).toEqual({ ...rest, units: 'code_points' })
})

describe('an invalid line has an error message', () => {
  test.each<[string, unknown, RegExp]>([
    ['another version', { hello: { ...hello, protocol: 2 } }, /version 2 of the adapter protocol/],
    ['no kinds', { hello: { protocol: 1, name: 'a', version: '1' } }, /hello kinds/],
    ['no hello', { hallo: {} }, /hello/],
    ['a list', [], /object/],
  ])('%s', (_what, value, words) => {
    expect(() => decodeHello(JSON.stringify(value))).toThrow(words)
  })

  test.each<[string, string]>([
    ['no JSON', '{"id":'],
    ['no id', '{"output":{}}'],
    ['nothing but an id', '{"id":1}'],
    ['two answers in one', '{"id":1,"output":{},"error":"x"}'],
    ['an output that is no object', '{"id":1,"output":[]}'],
  ])('%s', (_what, line) => {
    expect(() => decodeAnswer(line)).toThrow(/JSON|must have an id and one of/)
  })
})
