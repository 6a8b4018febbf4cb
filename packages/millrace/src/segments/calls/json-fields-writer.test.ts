import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cutAt, cutList } from '../../../test/support/cut-text.ts'
import { runs } from '../../../test/support/runs.ts'
import type { FieldType } from './typed-json.ts'
import { JsonFieldsWriter } from './json-fields-writer.ts'

function createWriter(maxHeld = 1000) {
  const parts: string[] = []
  const writer = new JsonFieldsWriter({
    write: (json) => void parts.push(json),
    maxHeld,
    maxDepth: 128,
  })
  return { writer, parts, text: () => parts.join('') }
}

function writeField(type: FieldType, text: string, maxHeld?: number): string {
  const { writer, text: written } = createWriter(maxHeld)
  writer.beginField('v', type)
  for (const unit of text) writer.fieldText(unit)
  writer.endField()
  writer.end()
  return written().slice('{"v":'.length, -1)
}

describe('text fields', () => {
  const fields = fc.array(
    fc.tuple(
      fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('a', 'a', '__proto__', '"')),
      fc.oneof(
        fc.string({ unit: 'binary' }),
        fc.string({
          unit: fc.constantFrom('\ud83d', '\ude00', '"', '\\', '\n', '\u0000', '\u2028'),
        }),
      ),
      cutList,
    ),
    { maxLength: 5 },
  )

  test('are JSON that parses to them, with the last value of a key', () => {
    fc.assert(
      fc.property(fields, (list) => {
        const { writer, text } = createWriter()
        for (const [key, value, cuts] of list) {
          writer.beginField(key)
          for (const piece of cutAt(value, cuts)) writer.fieldText(piece)
          writer.endField()
        }
        writer.end()
        const expected = Object.fromEntries(list.map(([key, value]) => [key, value]))
        expect(JSON.parse(text())).toEqual(expected)
      }),
      { numRuns: runs(500, 50_000) },
    )
  })

  test('are written while they are open', () => {
    const { writer, parts } = createWriter()
    writer.beginField('path')
    writer.fieldText('a "b"')
    writer.fieldText('\n')
    writer.endField()
    writer.beginField('content')
    writer.cut()
    expect(parts).toEqual(['{"path":"', 'a \\"b\\"', '\\n', '"', ',"content":"'])
  })

  test('are closed by a new field or the end', () => {
    const { writer, text } = createWriter()
    writer.fieldText('belongs to none')
    writer.beginField('a')
    writer.fieldText('1')
    writer.beginField('b', 'integer')
    writer.fieldText('2')
    writer.end()
    expect(text()).toBe('{"a":"1","b":2}')
  })

  test('may be absent', () => {
    const { writer, text } = createWriter()
    writer.end()
    expect(text()).toBe('{}')
  })
})

describe('typed fields', () => {
  test.each<[FieldType, string, string]>([
    ['integer', '\n7\n', '7'],
    ['integer', '-0', '-0'],
    ['integer', '7.5', '"7.5"'],
    ['integer', '007', '"007"'],
    ['integer', '12345678901234567890', '"12345678901234567890"'],
    ['number', '7.50', '7.50'],
    ['number', '1e400', '"1e400"'],
    ['number', 'seven', '"seven"'],
    ['boolean', 'True', 'true'],
    ['boolean', ' FALSE ', 'false'],
    ['boolean', 'yes', 'true'],
    ['boolean', 'perhaps', '"perhaps"'],
    ['object', '{ "b": 1, "a": null }', '{ "b": 1, "a": null }'],
    ['object', '[1]', '"[1]"'],
    ['object', '{"a":', '"{\\"a\\":"'],
    ['array', '[1, "x"]', '[1, "x"]'],
    ['array', '', '""'],
    ['null', 'null', 'null'],
    ['null', 'none', '"none"'],
    ['json', '12345678901234567890', '12345678901234567890'],
    ['json', '"text"', '"text"'],
    ['json', 'Oslo', '"Oslo"'],
    ['string', '42', '"42"'],
  ])('%s %j is %s', (type, text, json) => {
    expect(writeField(type, text)).toBe(json)
  })

  test('may be any JSON value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const json = JSON.stringify(value)
        expect(writeField('json', json)).toBe(json)
      }),
      { numRuns: runs(200, 20_000) },
    )
  })

  test('become strings if they are too long', () => {
    expect(writeField('array', '[1,2]', 5)).toBe('[1,2]')
    expect(writeField('array', '[1,"2"]', 5)).toBe('"[1,\\"2\\"]"')
  })

  test('are written as far as they were read when the call is cut', () => {
    const { writer, text } = createWriter()
    writer.beginField('n', 'integer')
    writer.fieldText('4')
    writer.cut()
    expect(text()).toBe('{"n":"4')
  })
})
