import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createJsonPrinter, toPrettyText } from './pretty-json.ts'

test('lays out JSON as JSON.stringify with two spaces does, however it came', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), fc.array(fc.nat(200)), (value, cuts) => {
      const text = JSON.stringify(value)
      const printer = createJsonPrinter()
      for (const cut of cuts.toSorted((a, b) => a - b)) printer.update(text.slice(0, cut))
      expect(printer.update(text)).toBe(JSON.stringify(value, null, 2))
    }),
  )
})

test('keeps numbers as they were written', () => {
  expect(toPrettyText('{"n":12345678901234567890,"m":1e400}')).toBe(
    '{ "n": 12345678901234567890, "m": 1e400 }',
  )
})

test('breaks lines inside strings where asked to, and leaves other escapes as they are', () => {
  const text = '{"file":"a\\n  b\\\\n\\"c\\u00e9"}'
  const whole = '{\n  "file": "a\n  b\\\\n\\"c\\u00e9"\n}'
  const printer = createJsonPrinter({ breaksLines: true })
  for (let end = 0; end < text.length; end++) {
    expect(whole.startsWith(printer.update(text.slice(0, end)))).toBe(true)
  }
  expect(printer.update(text)).toBe(whole)
  expect(toPrettyText('{"a":"1\\n2"}')).toBe('{\n  "a": "1\n2"\n}')
})

test('does not lay out text that begins neither an object nor an array, however it came', () => {
  const text = 'hello   {world}'
  const printer = createJsonPrinter({ breaksLines: true })
  for (let end = 0; end <= text.length; end++) {
    expect(printer.update(text.slice(0, end))).toBe(text.slice(0, end))
  }
  expect(createJsonPrinter().update('  {"a":1}')).toBe('{\n  "a": 1\n}')
})

test('leaves what is not JSON alone', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      fc.pre(!/^\s*[[{]/.test(text))
      expect(toPrettyText(text)).toBe(text)
    }),
  )
  expect(toPrettyText('[note] a b')).toBe('[note] a b')
})
