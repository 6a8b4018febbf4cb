import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cutAt, cutList, feedings } from '../../../test/support/cut-text.ts'
import { runs } from '../../../test/support/runs.ts'
import { JsonStringDecoder } from './json-string-decoder.ts'

/** Returns the decoded text of the chunks, and the position at which the string ended. */
function decode(pieces: readonly string[]) {
  const decoder = new JsonStringDecoder()
  const parts: string[] = []
  let fed = 0
  for (const piece of pieces) {
    const end = decoder.feed(piece)
    parts.push(decoder.decoded)
    if (end !== -1) return { text: parts.join(''), parts, end: fed + end }
    fed += piece.length
  }
  return { text: parts.join(''), parts, end: -1 }
}

const anyString = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({
    unit: fc.constantFrom('\ud83d', '\ude00', '"', '\\', '\n', '/', 'é', 'plain text '),
  }),
)

/** The possible encodings of one unit. */
const writers: readonly ((unit: string) => string)[] = [
  (unit) => JSON.stringify(unit).slice(1, -1),
  (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0').toUpperCase()}`,
  (unit) => (unit === '/' ? '\\/' : JSON.stringify(unit).slice(1, -1)),
]

const writtenString = anyString.chain((text) =>
  fc
    .array(fc.constantFrom(...writers), { minLength: text.length, maxLength: text.length })
    .map((chosen) => ({
      text,
      written: text
        .split('')
        .map((unit, index) => chosen[index]?.(unit) ?? '')
        .join(''),
    })),
)

describe('a JSON string', () => {
  test('is decoded in every encoding and for every split', () => {
    fc.assert(
      fc.property(writtenString, cutList, ({ text, written }, cuts) => {
        const whole = `${written}", "more": "`
        for (const pieces of feedings(whole, cuts)) {
          expect(decode(pieces)).toMatchObject({ text, end: written.length + 1 })
        }
      }),
      { numRuns: runs(1000, 100_000) },
    )
  })

  test('is decoded from the output of JSON.stringify', () => {
    fc.assert(
      fc.property(anyString, cutList, (text, cuts) => {
        const written = JSON.stringify(text).slice(1)
        expect(decode(cutAt(written, cuts))).toMatchObject({ text, end: written.length })
      }),
      { numRuns: runs(1000, 100_000) },
    )
  })

  test('that is long is decoded at the same positions', () => {
    const text = 'The quick brown fox says "jumped"\\n\n\ttwice 😀 é\u0001 '.repeat(400)
    const written = JSON.stringify(text).slice(1)
    for (const size of [1, 7, 23, 24, 25, 64, 1000, written.length]) {
      const pieces = written.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? []
      expect(decode(pieces)).toMatchObject({ text, end: written.length })
    }
  })
})

describe('text that JSON does not allow', () => {
  test.each([
    ['\\x41', '\\x41'],
    ["it\\'s", "it\\'s"],
    ['\\u12zz', '\\u12zz'],
    ['\\u', '\\u'],
    ['\\uD83', '\\uD83'],
    ['two\nlines\t', 'two\nlines\t'],
    ['\\\n', '\\\n'],
    [
      'a long text with \\x, \\u00e9 and\na raw newline in it',
      'a long text with \\x, é and\na raw newline in it',
    ],
  ])('%j is kept as written', (written, text) => {
    for (const pieces of feedings(`${written}"`, [1, 3])) {
      expect(decode(pieces)).toMatchObject({ text, end: written.length + 1 })
    }
  })

  test('gives the same result for every split', () => {
    const soup = fc
      .array(
        fc.constantFrom('\\', 'u', '"', 'd83d', 'de00', '00', 'n', '\n', 'x', '😀', '\ud800'),
        {
          maxLength: 30,
        },
      )
      .map((parts) => parts.join(''))
    fc.assert(
      fc.property(soup, cutList, (text, cuts) => {
        const [whole, ...others] = feedings(text, cuts).map(decode)
        for (const other of others) {
          expect([other.text, other.end]).toEqual([whole?.text, whole?.end])
        }
      }),
      { numRuns: runs(2000, 200_000) },
    )
  })
})

describe('the held text', () => {
  test('is an incomplete escape', () => {
    expect(decode(['a\\', 'nb\\u', '00', 'e', '9c'])).toMatchObject({
      parts: ['a', '\nb', '', '', 'éc'],
    })
    expect(decode(['a\\\\', 'n'])).toMatchObject({ parts: ['a\\', 'n'] })
  })

  test('is a high surrogate until its partner or another character arrives', () => {
    expect(decode(['x\\ud83d', '\\ude', '00'])).toMatchObject({ parts: ['x', '', '😀'] })
    expect(decode(['x\ud83d', '\ude00'])).toMatchObject({ parts: ['x', '😀'] })
    expect(decode(['x\\ud83d', 'y'])).toMatchObject({ parts: ['x', '\ud83dy'] })
    expect(decode(['x\\ud83d', '"'])).toMatchObject({ parts: ['x', '\ud83d'], end: 8 })
    expect(decode(['\\ud83d', '\\ud83d', '\\ude00'])).toMatchObject({ parts: ['', '\ud83d', '😀'] })
    expect(decode(['\\ude00', 'x'])).toMatchObject({ parts: ['\ude00', 'x'] })
  })

  test('is never more than a short end', () => {
    fc.assert(
      fc.property(writtenString, ({ text, written }) => {
        const { text: decoded } = decode([written])
        expect(text.startsWith(decoded)).toBe(true)
        expect(text.length - decoded.length).toBeLessThanOrEqual(1)
      }),
      { numRuns: runs(500, 50_000) },
    )
  })
})

test('a string may begin at any position, and another one may follow', () => {
  const decoder = new JsonStringDecoder()
  const text = '["one\\t", "two"]'
  const end = decoder.feed(text, 2)
  expect([decoder.decoded, text.slice(end)]).toEqual(['one\t', ', "two"]'])
  const next = decoder.feed(text, end + 3)
  expect([decoder.decoded, text.slice(next)]).toEqual(['two', ']'])
  expect(decoder.feed('["cut\\', 2)).toBe(-1)
  expect([decoder.decoded, decoder.feed('>>n" rest', 2)]).toEqual(['cut', 4])
  expect(decoder.decoded).toBe('\n')
})
