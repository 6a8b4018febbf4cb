import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { hashInput, type JsonValue } from './index.ts'
import { canonicalJson } from './hash-input.ts'
import { sha256 } from './sha256.ts'

const nativeHash = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

test('computes the same hash as the platform, also at block boundaries', () => {
  for (let length = 0; length < 200; length++) {
    const bytes = new Uint8Array(length).fill(length)
    expect(sha256(bytes)).toBe(nativeHash(bytes))
  }
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 5_000 }), (bytes) => {
      expect(sha256(bytes)).toBe(nativeHash(bytes))
    }),
  )
})

test('hashes only the view of a larger buffer', () => {
  const bytes = new Uint8Array(300).fill(7)
  expect(sha256(bytes.subarray(100, 170))).toBe(nativeHash(bytes.slice(100, 170)))
})

// The examples of RFC 8785, sections 3.2.2 and 3.2.3.
test('writes numbers, strings and key order as in RFC 8785', () => {
  const value = JSON.parse(
    '{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],"string":"\\u20ac$\\u000F\\u000aA\'\\u0042\\u0022\\u005c\\\\\\"\\/","literals":[null,true,false]}',
  ) as JsonValue
  expect(canonicalJson(value)).toBe(
    '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
  )
  const keys = { '€': 5, '\r': 1, '\ufb33': 7, '1': 2, '😀': 6, '\u0080': 3, ö: 4 }
  expect(canonicalJson(keys)).toMatch(
    /^\{"\\r":1,"1":2,"\u0080":3,"ö":4,"€":5,"😀":6,"\ufb33":7\}$/,
  )
})

test('gives equal hashes for any key order and spacing, and different hashes for different values', () => {
  expect(hashInput({})).toBe('44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a')
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (given, other) => {
      const value = JSON.parse(JSON.stringify(given)) as JsonValue
      const second = JSON.parse(JSON.stringify(other)) as JsonValue
      expect(JSON.parse(canonicalJson(value))).toEqual(value)
      expect(hashInput(reversed(value))).toBe(hashInput(value))
      expect(hashInput(value) === hashInput(second)).toBe(
        canonicalJson(value) === canonicalJson(second),
      )
    }),
  )
})

test('hashes own members with inherited names, and rejects values that JSON cannot hold', () => {
  const proto = JSON.parse('{"__proto__":1}') as JsonValue
  expect(canonicalJson(proto)).toBe('{"__proto__":1}')
  for (const text of ['1e400', '[-1e400]', '{"a":{"b":1e400}}']) {
    expect(() => hashInput(JSON.parse(text) as JsonValue)).toThrow(/cannot be written as JSON/)
  }
})

function reversed(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((one) => reversed(one as JsonValue))
  const members = Object.entries(value).map(([name, member]): [string, JsonValue] => [
    name,
    reversed(member),
  ])
  return Object.fromEntries(members.reverse())
}
