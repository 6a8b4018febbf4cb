import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cutList, feedings } from '../../../test/support/cut-text.ts'
import { runs } from '../../../test/support/runs.ts'
import { JsonScanner } from './json-scanner.ts'

function scan(pieces: readonly string[], maxDepth = 64): JsonScanner {
  const scanner = new JsonScanner(maxDepth)
  for (const piece of pieces) scanner.feed(piece)
  return scanner
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

const anyJson = fc
  .tuple(fc.jsonValue(), fc.constantFrom(undefined, 2, '\t'))
  .map(([value, indent]) => JSON.stringify(value, null, indent))

/** Texts that are nearly JSON; their strings are always valid. */
const nearlyJson = fc
  .tuple(
    fc.json({ stringUnit: fc.constantFrom('a', 'é', ' ') }),
    fc.nat(),
    fc.nat({ max: 2 }),
    fc.constantFrom('', '"', '}', ']', ',', ':', '1', 'x', 't', '-', 'e', '.', '+', ' ', '{', '['),
  )
  .map(([text, place, remove, insert]) => {
    const at = place % (text.length + 1)
    return text.slice(0, at) + insert + text.slice(at + remove)
  })

describe('a JSON value', () => {
  test('is complete at its end, for every split', () => {
    fc.assert(
      fc.property(anyJson, cutList, (text, cuts) => {
        for (const pieces of feedings(text, cuts)) {
          const scanner = scan(pieces)
          scanner.finish()
          expect(scanner.status).toBe('complete')
        }
      }),
      { numRuns: runs(500, 50_000) },
    )
  })

  test('is valid if JSON.parse accepts it', () => {
    fc.assert(
      fc.property(nearlyJson, cutList, (text, cuts) => {
        for (const pieces of feedings(text, cuts)) {
          const scanner = scan(pieces)
          scanner.finish()
          expect(scanner.status === 'complete').toBe(isJson(text))
        }
      }),
      { numRuns: runs(2000, 200_000) },
    )
  })

  test.each(['0', '-0', '1.5e+10', '-0.0E-0', 'true', '"a"', ' [ ] ', '{"a":{}}', '[null,0]'])(
    '%s is valid',
    (text) => {
      const scanner = scan(text.split(''))
      scanner.finish()
      expect(scanner.status).toBe('complete')
    },
  )

  test.each([
    '01',
    '1.',
    '.5',
    '+1',
    '1e',
    '-',
    'tru e',
    'nul1',
    '{"a"}',
    '{a:1}',
    '[1,]',
    '{,}',
    '}',
  ])('%s is invalid', (text) => {
    const scanner = scan(text.split(''))
    scanner.finish()
    expect(scanner.status).not.toBe('complete')
  })

  test('is blank before it begins and open until it ends', () => {
    expect(scan([]).status).toBe('blank')
    expect(scan([' \n']).status).toBe('blank')
    for (const text of ['{', '{"a', '{"a\\"', '[1', '"', 't', '1']) {
      expect(scan([text]).status).toBe('open')
    }
  })

  test('ends where other text begins', () => {
    for (const [text, from, end] of [
      ['[1,2] rest', 0, 5],
      ['x=12,', 2, 4],
      ['"a\\"b"c', 0, 6],
      ['nullx', 0, 4],
    ] as const) {
      const scanner = new JsonScanner(8)
      expect([scanner.take(text, from), scanner.status]).toEqual([end, 'complete'])
    }
  })

  test('may nest up to the limit', () => {
    expect(scan(['[[[]]]'], 3).status).toBe('complete')
    expect(scan(['[[[[', ']]]]'], 3).status).toBe('failed')
  })

  test('has a limit on the length of a number', () => {
    expect(scan(['[', ...Array.from({ length: 300 }, () => '1234')]).status).toBe('failed')
  })

  test('may follow another one', () => {
    const scanner = scan(['{"a":[1]}'])
    scanner.reset()
    expect(scanner.status).toBe('blank')
    scanner.feed('[true]')
    expect(scanner.status).toBe('complete')
  })
})
