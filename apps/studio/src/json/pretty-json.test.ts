import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createJsonPrinter, toPrettyText } from './pretty-json.ts'

test('formats JSON as JSON.stringify with two spaces does, in any chunks', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), fc.array(fc.nat(200)), (value, cuts) => {
      const text = JSON.stringify(value)
      const printer = createJsonPrinter()
      for (const cut of cuts.toSorted((a, b) => a - b)) printer.update(text.slice(0, cut))
      expect(printer.update(text)).toBe(JSON.stringify(value, null, 2))
    }),
  )
})

test('keeps numbers as written', () => {
  expect(toPrettyText('{"n":12345678901234567890,"m":1e400}')).toBe(
    '{ "n": 12345678901234567890, "m": 1e400 }',
  )
})

test('breaks lines inside strings on request and keeps other escapes', () => {
  const text = '{"file":"a\\n  b\\\\n\\"c\\u00e9"}'
  const whole = '{\n  "file": "a\n  b\\\\n\\"c\\u00e9"\n}'
  const printer = createJsonPrinter({ breaksLines: true })
  for (let end = 0; end < text.length; end++) {
    expect(whole.startsWith(printer.update(text.slice(0, end)))).toBe(true)
  }
  expect(printer.update(text)).toBe(whole)
  expect(toPrettyText('{"a":"1\\n2"}')).toBe('{\n  "a": "1\n2"\n}')
})

test('keeps text that begins neither an object nor an array, in any chunks', () => {
  const text = 'hello   {world}'
  const printer = createJsonPrinter({ breaksLines: true })
  for (let end = 0; end <= text.length; end++) {
    expect(printer.update(text.slice(0, end))).toBe(text.slice(0, end))
  }
  expect(createJsonPrinter().update('  {"a":1}')).toBe('{\n  "a": 1\n}')
})

test('keeps text that is not JSON', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      fc.pre(!/^\s*[[{]/.test(text))
      expect(toPrettyText(text)).toBe(text)
    }),
  )
  expect(toPrettyText('[note] a b')).toBe('[note] a b')
})
