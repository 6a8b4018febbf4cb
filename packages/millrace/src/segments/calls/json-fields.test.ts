import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cutList, feedings } from '../../../test/support/cut-text.ts'
import { runs } from '../../../test/support/runs.ts'
import { JsonFields } from './json-fields.ts'

/** Parses chunks and returns the fields as `[key, kind, text]`. */
function read(pieces: readonly string[], limits: { maxValue?: number; maxDepth?: number } = {}) {
  const found: [string, 'string' | 'open' | 'value', string | undefined][] = []
  const fields = new JsonFields({
    sink: {
      beginString: (key) => {
        found.push([key, 'open', ''])
      },
      stringText: (text) => {
        expect(text).not.toBe('')
        found[found.length - 1]![2] += text
      },
      endString: () => {
        found[found.length - 1]![1] = 'string'
      },
      value: (key, json) => {
        found.push([key, 'value', json])
      },
    },
    maxValue: limits.maxValue ?? 10_000,
    maxDepth: limits.maxDepth ?? 64,
  })
  for (const piece of pieces) fields.feed(piece)
  return { found, status: fields.status }
}

const key = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('__proto__', 'constructor', 'path', 'content', '', '"', '\\'),
)
const object = fc.array(
  fc.tuple(key, fc.oneof(fc.string({ unit: 'binary' }), fc.jsonValue({ maxDepth: 3 }))),
  { maxLength: 6 },
)
const space = fc.constantFrom('', ' ', '\r\n\t')

function write(fields: readonly [string, unknown][], gap: string, indent?: number): string {
  const texts = fields.map(
    ([name, value]) => `${JSON.stringify(name)}${gap}:${gap}${JSON.stringify(value, null, indent)}`,
  )
  return `${gap}{${gap}${texts.join(`${gap},${gap}`)}${gap}}${gap}`
}

describe('a complete object', () => {
  test('gives the fields of JSON.parse, for every split', () => {
    fc.assert(
      fc.property(
        object,
        space,
        fc.constantFrom(undefined, 2),
        cutList,
        (fields, gap, indent, cuts) => {
          const text = write(fields, gap, indent)
          for (const pieces of feedings(text, cuts)) {
            const { found, status } = read(pieces)
            expect(status).toBe('complete')
            const values = found.map(([name, kind, value]) => [
              name,
              kind === 'string' ? value : JSON.parse(value ?? ''),
            ])
            expect(values).toEqual(JSON.parse(JSON.stringify(fields)))
          }
        },
      ),
      { numRuns: runs(500, 50_000) },
    )
  })

  test('keeps other values as written', () => {
    expect(read(['{"n": 12345678901234567890, "o": { "b":1, "a":[ ] },"z":1e400}'])).toEqual({
      status: 'complete',
      found: [
        ['n', 'value', '12345678901234567890'],
        ['o', 'value', '{ "b":1, "a":[ ] }'],
        ['z', 'value', '1e400'],
      ],
    })
  })

  test('ignores nested keys', () => {
    const { found } = read(['{"meta":{"path":"WRONG","x":["path"]},"path":"right"}'])
    expect(found.map(([name]) => name)).toEqual(['meta', 'path'])
  })

  test('may be followed only by white space', () => {
    expect(read(['{"a":1}', ' \n\r\t']).status).toBe('complete')
    for (const more of ['x', '{', ',', '}', '1', '"']) {
      expect(read(['{"a":1}', more]).status).toBe('failed')
    }
  })
})

describe('any other text', () => {
  const nearly = fc
    .tuple(
      fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.jsonValue({ stringUnit: fc.constant('s') })),
      fc.nat(),
      fc.nat({ max: 2 }),
      fc.constantFrom('', '"', '}', ']', ',', ':', '1', 'x', 't', '-', ' ', '{', '['),
    )
    .map(([value, place, remove, insert]) => {
      const text = JSON.stringify(value)
      const at = place % (text.length + 1)
      return text.slice(0, at) + insert + text.slice(at + remove)
    })

  test('is complete only if JSON.parse returns an object, and gives the same result for every split', () => {
    fc.assert(
      fc.property(nearly, cutList, (text, cuts) => {
        const [whole, ...others] = feedings(text, cuts).map((pieces) => read(pieces))
        expect(whole?.status === 'complete').toBe(isObjectText(text))
        for (const other of others) expect(other).toEqual(whole)
      }),
      { numRuns: runs(2000, 200_000) },
    )
  })

  test('that was cut gives the fields before the cut, and stays open', () => {
    fc.assert(
      fc.property(object, fc.nat(), (fields, place) => {
        const text = write(fields, '')
        const cut = place % text.length
        const { found, status } = read([text.slice(0, cut)])
        const whole = read([text]).found
        expect(status).toBe(cut === 0 ? 'blank' : 'open')
        for (const [index, [name, , value]] of found.entries()) {
          expect(whole[index]?.[0]).toBe(name)
          expect(whole[index]?.[2]?.startsWith(value ?? '')).toBe(true)
        }
      }),
      { numRuns: runs(500, 50_000) },
    )
  })

  test.each([
    '[]',
    '"{}"',
    'null',
    '1',
    'x',
    "{'a':1}",
    '{a:1}',
    '{"a":1,}',
    '{"a" "b"}',
    '{]',
    '{"a":}',
  ])('%s is not an object', (text) => {
    expect(read([text]).status).toBe('failed')
  })
})

describe('the limits', () => {
  test('omit a value that is too long, for every split', () => {
    for (const pieces of feedings('{"a":[1,2,3],"b":[1,2],"c":"a longer text"}', [8, 9])) {
      expect(read(pieces, { maxValue: 5 })).toEqual({
        status: 'complete',
        found: [
          ['a', 'value', undefined],
          ['b', 'value', '[1,2]'],
          ['c', 'string', 'a longer text'],
        ],
      })
    }
  })

  test('fail at a key that is too long and at nesting that is too deep', () => {
    expect(read(['{"abcdef', 'ghi":1}'], { maxValue: 5 }).status).toBe('failed')
    expect(read(['{"a":[[]]}'], { maxDepth: 3 }).status).toBe('complete')
    expect(read(['{"a":[[]]}'], { maxDepth: 2 }).status).toBe('failed')
    expect(read(['{}'], { maxDepth: 0 }).status).toBe('failed')
  })
})

function isObjectText(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}
