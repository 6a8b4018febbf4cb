import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cutAt, cutList } from '../../../../test/support/cut-text.ts'
import { decodePython, PythonEscapes } from './python-syntax.ts'

function decode(pieces: readonly string[], isRaw = false): string {
  const deltas: string[] = []
  const escapes = new PythonEscapes({ text: (piece) => deltas.push(piece) }, isRaw)
  for (const piece of pieces) escapes.text(piece)
  escapes.finish()
  expect(deltas).not.toContain('')
  const cuts = deltas
    .slice(1)
    .map((delta, index) => (deltas[index] ?? '').slice(-1) + delta.charAt(0))
  for (const cut of cuts) expect(cut).not.toMatch(/[\ud800-\udbff][\udc00-\udfff]/)
  return deltas.join('')
}

const cases: Readonly<Record<string, string>> = {
  'plain é 😀': 'plain é 😀',
  '\\n\\t\\r\\\\\\a\\b\\f\\v': '\n\t\r\\\u0007\b\f\v',
  '\\\'\\"': '\'"',
  '\\x41\\u00e9\\U0001f600': 'Aé😀',
  '\\ud83d\\ude00': '😀',
  '\\0\\12\\101\\1018': '\0\nAA8',
  'a\\\nb\\\r\nc': 'abc',
  '\\d\\X41\\N{DASH}\\x4': '\\d\\X41\\N{DASH}\\x4',
  '\\U00110000': '\\U00110000',
  'end\\': 'end\\',
}

test.each(Object.entries(cases))('%j is decoded like in Python', (inside, value) => {
  expect(decodePython(inside, false)).toBe(value)
  expect(decode([inside])).toBe(value)
  expect(decode(inside.split(''))).toBe(value)
})

test('the output does not depend on the split, in raw strings as well', () => {
  const piece = fc.constantFrom(
    '\\',
    '\\\\',
    "'",
    'n',
    'x4',
    '1',
    'u00e',
    '9',
    '\\U0001',
    '\n',
    '\r',
    '\\ud83d',
    '\\ude00',
    '😀',
  )
  const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''))
  fc.assert(
    fc.property(text, cutList, fc.boolean(), (inside, cuts, isRaw) => {
      const pieces = cutAt(inside, cuts).filter((part) => part !== '')
      // The input buffer never cuts a pair.
      fc.pre(pieces.every((part) => !/[\ud800-\udbff]$/.test(part)))
      expect(decode(pieces, isRaw)).toBe(decodePython(inside, isRaw))
    }),
  )
})

test('an incomplete escape hides the quote after it', () => {
  const escapes = new PythonEscapes({ text: () => undefined }, false)
  escapes.text('a\\')
  expect(escapes.isOpen).toBe(true)
  escapes.text("'")
  expect(escapes.isOpen).toBe(false)
  escapes.text('\\\\')
  expect(escapes.isOpen).toBe(false)
})
