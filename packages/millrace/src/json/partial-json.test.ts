import { deepStrictEqual } from 'node:assert/strict'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '../../test/support/runs.ts'
import { createPartialJson, type JsonValue, type PartialJson } from './index.ts'

function read(pieces: Iterable<string>, maxDepth?: number): PartialJson {
  const json = createPartialJson(maxDepth === undefined ? {} : { maxDepth })
  for (const piece of pieces) json.feed(piece)
  return json
}

/** The observable state of a reader, copied from values that keep growing. */
function snapshot({ value, status, length }: PartialJson) {
  return { value: structuredClone(value), status, length }
}

/** Compares values with regard to -0, prototypes and key order. Matchers fail for a key `constructor`. */
function expectSame(actual: unknown, expected: unknown): void {
  deepStrictEqual(actual, expected)
  expect(JSON.stringify(actual)).toBe(JSON.stringify(expected))
}

function cutAt(text: string, cuts: readonly number[]): string[] {
  const places = [0, ...cuts.map((cut) => cut % (text.length + 1)), text.length]
  places.sort((a, b) => a - b)
  return places.slice(1).map((end, index) => text.slice(places[index] ?? 0, end))
}

const cutList = fc.array(fc.nat(), { maxLength: 12 })

/** Valid texts of different writers: indentation, unnecessary escapes, unusual numbers and keys. */
const jsonText = fc.letrec<{ value: string }>((tie) => {
  const space = fc.constantFrom('', '', ' ', '\n\t', '\r\n')
  const string = fc
    .array(
      fc.oneof(
        fc.string({ unit: 'binary' }).map((text) => JSON.stringify(text).slice(1, -1)),
        fc.constantFrom('\\/', '\\"', '\\\\', '\\b\\f\\n\\r\\t', '\\u0041', '\\uD83D\\ude00'),
        fc.constantFrom('\\ud800', '😀', '\u2028', 'plain text of some length', '\u007f'),
      ),
      { maxLength: 4 },
    )
    .map((parts) => `"${parts.join('')}"`)
  const key = fc.oneof(
    string,
    fc.constantFrom('"__proto__"', '"constructor"', '"a"', '"a"', '"\\u0061"', '"0"', '""'),
  )
  const number = fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
    fc.constantFrom('0', '-0', '-0.0e+0', '1e400', '-1E-400', '12345678901234567890', '0.1E1'),
  )
  const spaced = fc.tuple(space, tie('value'), space).map((parts) => parts.join(''))
  const field = fc
    .tuple(space, key, space, spaced)
    .map(([a, name, b, value]) => `${a}${name}${b}:${value}`)
  return {
    value: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.oneof(string, number, fc.constantFrom('true', 'false', 'null')),
      fc
        .tuple(space, fc.array(spaced, { maxLength: 4 }))
        .map(([s, items]) => `[${items.join(',') || s}]`),
      fc
        .tuple(space, fc.array(field, { maxLength: 4 }))
        .map(([s, fields]) => `{${fields.join(',') || s}}`),
    ),
  }
}).value

/** Almost valid JSON. */
const brokenText = fc
  .tuple(
    jsonText,
    fc.nat(),
    fc.nat({ max: 2 }),
    fc.constantFrom('', '"', '}', ']', ',', ':', '\\', '1', 'x', 't', '\u0001', '-', 'e', ' '),
  )
  .map(([text, place, remove, insert]) => {
    const at = place % (text.length + 1)
    return text.slice(0, at) + insert + text.slice(at + remove)
  })

function parseOrUndefined(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    return undefined
  }
}

describe('a complete text', () => {
  test('gives the value of JSON.parse for any chunks', () => {
    fc.assert(
      fc.property(jsonText, cutList, (text, cuts) => {
        const expected = JSON.parse(text)
        for (const pieces of [[text], cutAt(text, cuts), text.split('')]) {
          const json = read(pieces)
          json.finish()
          expect(json.status).toBe('complete')
          expectSame(json.value, expected)
          expect(json.length).toBe(text.length)
        }
      }),
      { numRuns: runs(1000, 100_000) },
    )
  })

  test('gives back any encoded value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(undefined, 2), cutList, (value, indent, cuts) => {
        const text = JSON.stringify(value, null, indent)
        const json = read(cutAt(text, cuts))
        json.finish()
        expect(json).toMatchObject({ status: 'complete' })
        expectSame(json.value, JSON.parse(text))
      }),
      { numRuns: runs(500, 50_000) },
    )
  })

  test('is complete at its last character, except a bare number', () => {
    for (const text of ['{}', '[]', '""', 'true', 'false', 'null', '{"a":[1]}', '12 ']) {
      expect(read(text)).toMatchObject({ status: 'complete', value: JSON.parse(text) })
    }
    const json = read(['1', '2'])
    expect(snapshot(json)).toEqual({ value: undefined, status: 'open', length: 2 })
    json.finish()
    expect(snapshot(json)).toEqual({ value: 12, status: 'complete', length: 2 })
  })

  test('may be followed by white space only', () => {
    expect(read(['{"a":1}', ' \n\r\t'])).toMatchObject({ status: 'complete' })
    for (const more of ['x', '{', ',', '}', '1', '"', '\u00a0', '\ufeff']) {
      expect(snapshot(read(['{"a":1}', more]))).toMatchObject({ status: 'failed', value: { a: 1 } })
    }
  })
})

describe('an incomplete text', () => {
  test('gives the same value at every position for any chunks', () => {
    fc.assert(
      fc.property(fc.oneof(jsonText, brokenText), cutList, fc.nat(), (text, cuts, place) => {
        const prefix = text.slice(0, place % (text.length + 1))
        const whole = snapshot(read([prefix]))
        expectSame(snapshot(read(cutAt(prefix, cuts))), whole)
        expectSame(snapshot(read(prefix.split(''))), whole)
      }),
      { numRuns: runs(1000, 100_000) },
    )
  })

  test('grows in place', () => {
    const json = createPartialJson()
    json.feed('{"list":[')
    const root = json.value as { list: JsonValue[] }
    const { list } = root
    json.feed('1,{"a":"b')
    json.feed('c"}]')
    expect(list).toEqual([1, { a: 'bc' }])
    json.feed('}')
    expect(json.value).toBe(root)
    expect(root.list).toBe(list)
  })

  test('exposes an open string, but no key, number or literal before its end', () => {
    const json = createPartialJson()
    const seen = '{"k":"a\\u00e9\\n","n":-12,"t":true}'.split('').map((char) => {
      json.feed(char)
      return JSON.stringify(json.value)
    })
    expect([...new Set(seen)]).toEqual([
      '{}',
      '{"k":""}',
      '{"k":"a"}',
      '{"k":"aé"}',
      '{"k":"aé\\n"}',
      '{"k":"aé\\n","n":-12}',
      '{"k":"aé\\n","n":-12,"t":true}',
    ])
  })

  test('fails at finish and keeps its value', () => {
    for (const [text, value] of [
      ['', undefined],
      ['  ', undefined],
      ['tru', undefined],
      ['-', undefined],
      ['[1', []],
      ['{"a":"b\\u00', { a: 'b' }],
    ] as const) {
      const json = read([text])
      expect(json.status).toBe('open')
      json.finish()
      expect(snapshot(json)).toEqual({ value, status: 'failed', length: text.length })
    }
  })
})

describe('invalid JSON', () => {
  test('is rejected if JSON.parse rejects it', () => {
    fc.assert(
      fc.property(brokenText, cutList, (text, cuts) => {
        const json = read(cutAt(text, cuts))
        json.finish()
        const expected = parseOrUndefined(text)
        expect(json.status).toBe(expected === undefined ? 'failed' : 'complete')
        if (expected !== undefined) expectSame(json.value, expected)
      }),
      { numRuns: runs(3000, 300_000) },
    )
  })

  test('never throws', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' })), (pieces) => {
        const json = read(pieces)
        json.finish()
        expect(json.status).not.toBe('open')
      }),
    )
  })

  test('fails at the first invalid character and keeps the value so far', () => {
    for (const [text, value] of [
      ['{"a":1,}', { a: 1 }],
      ['{a', {}],
      ["{'a'", {}],
      ['[1,]', [1]],
      ['[1 2', [1]],
      ['{"a" 1', {}],
      ['{"a":"x\\q', { a: 'x' }],
      ['{"a":"x\n', { a: 'x' }],
      ['["\\u12g4', ['']],
      ['[01,', []],
      ['[1.,', []],
      ['[+1', []],
      ['[.5', []],
      ['[nux', []],
      ['[truer', [true]],
      ['NaN', undefined],
      ['undefined', undefined],
      ['}', undefined],
    ] as const) {
      expect([text, snapshot(read([text]))]).toEqual([
        text,
        { value, status: 'failed', length: text.length },
      ])
    }
  })

  test('still counts further input', () => {
    expect(snapshot(read(['{', 'x', 'yz']))).toEqual({ value: {}, status: 'failed', length: 4 })
  })
})

test('rejects nesting deeper than maxDepth', () => {
  expect(read(['[[[1]]]'], 3)).toMatchObject({ status: 'complete', value: [[[1]]] })
  expect(read(['[[[{'], 3)).toMatchObject({ status: 'failed', value: [[[]]] })
  expect(read(['['.repeat(256)])).toMatchObject({ status: 'open' })
  expect(read(['['.repeat(257)])).toMatchObject({ status: 'failed' })
})

test('stores __proto__ as an own property', () => {
  const text = '{"__proto__":"x","a":{"__proto__":{"polluted":true}},"__proto__":{"b":1}}'
  for (const pieces of [[text], text.split('')]) {
    const { value } = read(pieces)
    expectSame(value, JSON.parse(text))
    expect(Object.keys(value as object)).toEqual(['__proto__', 'a'])
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
  }
  expect('polluted' in {}).toBe(false)
})
