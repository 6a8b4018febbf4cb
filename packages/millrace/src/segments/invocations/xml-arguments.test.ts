import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isJsonArray, isJsonObject } from '../../json/index.ts'
import type { JsonObject, JsonValue } from '../../json/index.ts'
import { toXmlArguments } from './xml-arguments.ts'
import { pairXmlTags } from './xml-pairs.ts'
import { toXmlTokens } from './xml-tokens.ts'

describe('the arguments of a body', () => {
  test.each<[string, string, JsonObject]>([
    ['tags are arguments', '<city>Oslo</city><days>3</days>', { city: 'Oslo', days: '3' }],
    ['a name goes before the tag', '<arg name="a">1</arg><x name=\'b\'>2</x>', { a: '1', b: '2' }],
    ['the wrapper is optional', '<arguments><a>1</a></arguments>', { a: '1' }],
    ['tags match in any case', '<ARGUMENTS><Arg NAME="a">1</aRG></Arguments>', { a: '1' }],
    ['keys keep their case', '<FilePath>a</FilePath>', { FilePath: 'a' }],
    ['values are trimmed', '<a>\n  x y\n</a>', { a: 'x y' }],
    ['hyphens', '<file-path>/x</file-path>', { 'file-path': '/x' }],
    ['letters of other scripts', '<größe>1</größe><城市>杭州</城市>', { größe: '1', 城市: '杭州' }],
    ['spaces in tags', '<arg  name = "a" >1</arg ><b\n>2</b\n>', { a: '1', b: '2' }],
    ['a bare attribute', '<arg name=city>Oslo</arg>', { city: 'Oslo' }],
    ['> and entities in a name', '<arg name="a>&quot;b">1</arg>', { 'a>"b': '1' }],
    ['the whole name of an attribute', '<x filename="f" name="n">1</x>', { n: '1' }],
    ['an empty name is none', '<arg name="">1</arg>', { arg: '1' }],
    ['self-closing', '<a/><arg name="b" />', { a: '', b: '' }],
    ['empty', '<a></a>', { a: '' }],
    ['the last of a name counts', '<a>1</a><a>2</a>', { a: '2' }],
    ['text around arguments is none', 'so: <a>1</a> and <b>2</b>.', { a: '1', b: '2' }],
    ['nothing', '', {}],
    ['text alone', 'hello', {}],
    ['text in the wrapper', '<arguments>none</arguments>', {}],
    ['what comes after the wrapper', '<arguments><a>1</a></arguments><b>2</b>', { a: '1' }],
    [
      'arguments after others',
      '<cmd>ls</cmd><arguments>-l</arguments>',
      { cmd: 'ls', arguments: '-l' },
    ],
    ['nested tags', '<o><x>1</x><y><z>2</z></y></o>', { o: { x: '1', y: { z: '2' } } }],
    ['nested args', '<arg name="o"><arg name="x">1</arg></arg>', { o: { x: '1' } }],
    ['items', '<xs><item>a</item> <ITEM>b</ITEM></xs>', { xs: ['a', 'b'] }],
    ['one item', '<xs><item>a</item></xs>', { xs: ['a'] }],
    ['items of items', '<xs><item><item>a</item></item></xs>', { xs: [['a']] }],
    ['items of objects', '<xs><item><n>1</n></item></xs>', { xs: [{ n: '1' }] }],
    ['items among others', '<o><item>a</item><b>c</b></o>', { o: { item: 'a', b: 'c' } }],
    [
      'comments',
      '<!-- a --><a>1<!-- <b>2</b> --></a><xs><!-- x --><item>b</item></xs>',
      { a: '1', xs: ['b'] },
    ],
    ['JSON in the wrapper', '<arguments>\n{"a": [1]}\n</arguments>', { a: [1] }],
    ['an XML declaration', '<?xml version="1.0"?><a>1</a>', { a: '1' }],
  ])('%s', (_, text, values) => {
    expect(toXmlArguments(text)).toEqual(values)
  })

  test('invalid JSON in the wrapper gives no arguments', () => {
    expect(toXmlArguments('<arguments>{"a": nope}</arguments>')).toBeUndefined()
  })
})

describe('text that looks like markup stays in its value', () => {
  test.each<[string, string, JsonObject]>([
    ['mixed content', '<q>x <b>bold</b> &amp; y</q>', { q: 'x <b>bold</b> & y' }],
    [
      'mixed content, comments and CDATA',
      '<q>x<!-- c --><b><![CDATA[&lt;]]></b></q>',
      { q: 'x<!-- c --><b>&lt;</b>' },
    ],
    [
      'a stray <',
      '<q>if a <b then</q><r>1 < 2 <= 3 << 4</r>',
      { q: 'if a <b then', r: '1 < 2 <= 3 << 4' },
    ],
    ['a stray tag', '<q>List<String> x</q><r>1</r>', { q: 'List<String> x', r: '1' }],
    ['a stray closing tag', '<q>a </b> c</q>', { q: 'a </b> c' }],
    ['crossed tags', '<a>x <b>y</a><c>z</b></c>', { a: 'x <b>y', c: 'z</b>' }],
    ['a stray &', '<q>a && b &nbsp; &lt;</q>', { q: 'a && b &nbsp; <' }],
    [
      'the closer of the wrapper in a value',
      '<arguments><arg name="q">use </arguments> tag</arg><b>1</b></arguments>',
      { q: 'use </arguments> tag', b: '1' },
    ],
    [
      'the same without the wrapper',
      '<arg name="q">use </arguments> tag</arg>',
      { q: 'use </arguments> tag' },
    ],
    [
      'the same, and no closer after',
      '<arguments><arg name="q">use </arguments> tag</arg>',
      { q: 'use </arguments> tag' },
    ],
    [
      'wrappers in a value',
      '<arguments><q>x <arguments>y</arguments></q></arguments>',
      { q: 'x <arguments>y</arguments>' },
    ],
  ])('%s', (_, text, values) => {
    expect(toXmlArguments(text)).toEqual(values)
  })
})

describe('CDATA', () => {
  test.each<[string, string, JsonObject]>([
    ['is literal', '<q><![CDATA[<b>&amp;</b>]]></q>', { q: '<b>&amp;</b>' }],
    ['hides closers', '<q><![CDATA[a </q></arg> b]]></q><r>1</r>', { q: 'a </q></arg> b', r: '1' }],
    ['may be in parts', '<q>a<![CDATA[]]]]><![CDATA[>]]>b</q>', { q: 'a]]>b' }],
    ['beside tags is mixed', '<q><b>1</b><![CDATA[<]]></q>', { q: '<b>1</b><' }],
    ['unclosed is text', '<q><![CDATA[a</q>', { q: '<![CDATA[a' }],
  ])('%s', (_, text, values) => {
    expect(toXmlArguments(text)).toEqual(values)
  })
})

describe('never changes a prototype', () => {
  test.each([
    '<arg name="__proto__"><admin>true</admin></arg><a>1</a>',
    '<__proto__><admin>true</admin></__proto__><a>1</a>',
    '<a>1</a><o><__proto__><admin>true</admin></__proto__></o>',
  ])('%s', (text) => {
    const values = toXmlArguments(text) ?? {}
    const holder = isJsonObject(values['o']) ? values['o'] : values
    expect(Object.keys(holder)).toContain('__proto__')
    expect(values['a']).toBe('1')
    expect(values['admin']).toBeUndefined()
    expect(Object.getPrototypeOf(values)).toBe(Object.prototype)
    expect(({} as JsonObject)['admin']).toBeUndefined()
  })
})

describe('types', () => {
  const types = { html: 'string', n: 'integer', list: 'array', flag: 'boolean' } as const

  test('text gets the type of its parameter', () => {
    const text = '<n>3</n><list>[1, 2]</list><flag>true</flag><html>3</html><other>3</other>'
    expect(toXmlArguments(text, { types })).toEqual({
      n: 3,
      list: [1, 2],
      flag: true,
      html: '3',
      other: '3',
    })
  })

  test('markup in a string stays text', () => {
    const html = '<div><p>a &amp; b</p><!-- c --></div>'
    expect(toXmlArguments(`<html>${html}</html>`, { types })).toEqual({
      html: '<div><p>a & b</p><!-- c --></div>',
    })
  })
})

describe('unclosed tags', () => {
  test.each<[string, string, JsonObject]>([
    ['an argument goes on to the end', '<a>1</a><b>2 <i>3</i>', { a: '1', b: '2 <i>3</i>' }],
    ['and ends with the wrapper', '<arguments><a>1</arguments>\n', { a: '1' }],
    ['a tag in it is text', '<a><b><c>1', { a: '<b><c>1' }],
    ['a tag that is not whole is text', '<a>1</a><b', { a: '1' }],
    ['a tag that is not whole in a value', '<a>1</', { a: '1</' }],
  ])('%s', (_, text, values) => {
    expect(toXmlArguments(text)).toEqual(values)
  })

  test.each<[string, string, JsonObject]>([
    ['a value', '<a>1</a><b>2', { a: '1', b: '2' }],
    ['a value with markup', '<a>1 <b>2', { a: '1 <b>2' }],
    ['an object', '<o><x>1</x><y>2', { o: { x: '1', y: '2' } }],
    ['a list', '<xs><item>a</item><item>b', { xs: ['a', 'b'] }],
    ['a list in the wrapper', '<arguments><xs><item>a', { xs: ['a'] }],
    ['CDATA', '<q><![CDATA[a </q> b]]', { q: 'a </q> b]]' }],
    ['a comment', '<q>1<!-- 2', { q: '1' }],
    ['JSON in the wrapper', '<arguments>{"a": "b', { a: 'b' }],
  ])('in a text that was cut: %s', (_, text, values) => {
    expect(toXmlArguments(text, { truncated: true })).toEqual(values)
  })
})

/** Writes values in one of their possible notations. */
function writeXml(values: JsonObject, escape: (text: string) => string): string {
  return Object.entries(values)
    .map(([key, value]) => `<arg name="${escapeXml(key)}">${writeValue(value, escape)}</arg>`)
    .join('\n')
}

function writeValue(value: JsonValue, escape: (text: string) => string): string {
  if (isJsonArray(value)) {
    return value.map((item) => `<item>${writeValue(item, escape)}</item>`).join('\n  ')
  }
  return isJsonObject(value) ? writeXml(value, escape) : escape(String(value))
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}

function wrapInCdata(text: string): string {
  return `<![CDATA[${text.replaceAll(']]>', ']]]]><![CDATA[>')}]]>`
}

const markup = ['<', '>', '</', '/>', '&', ';', '"', "'", '=', ' ', 'a', ']]>', '<![CDATA[', '-->']
const anyText = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: fc.constantFrom(...markup) }),
)
const anyKey = fc
  .oneof(anyText, fc.constantFrom('__proto__', 'constructor', 'arguments', 'a'))
  .filter((key) => key !== '')
const { values: anyValues } = fc.letrec<{ value: JsonValue; values: JsonObject }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    anyText.map((text) => text.trim()),
    fc.array(tie('value'), { minLength: 1, maxLength: 4 }),
    tie('values'),
  ),
  values: fc
    .array(fc.tuple(anyKey, tie('value')), { minLength: 1, maxLength: 4 })
    .map((entries) => Object.fromEntries(entries)),
}))

const wrapped = (text: string) => `\n<arguments>\n${text}\n</arguments>\n`

describe('properties', () => {
  test('reads back the arguments that were written', () => {
    const anyEscape = fc.constantFrom(escapeXml, wrapInCdata)
    fc.assert(
      fc.property(anyValues, anyEscape, fc.boolean(), (values, escape, isWrapped) => {
        const text = writeXml(values, escape)
        const read = toXmlArguments(isWrapped ? wrapped(text) : text)
        expect(JSON.stringify(read)).toBe(JSON.stringify(values))
      }),
    )
  })

  const pieces = [
    ['<a>', '</a>', '<b>', '</b>', '<arg name="c">', '</arg>', '<item>', '</item>', '<d/>'],
    ['<arguments>', '</arguments>', '<!-- ', ' -->', '<![CDATA[', ']]>', '&lt;'],
    ['<', '>', '/', 'x', ' ', '{', '}'],
  ].flat()
  const soup = fc.string({ unit: fc.constantFrom(...pieces), maxLength: 60 })

  test('never throws for any text, cut or not', () => {
    fc.assert(
      fc.property(soup, fc.boolean(), (text, truncated) => {
        const values = toXmlArguments(text, { truncated })
        if (values !== undefined) expect(isJsonObject(values)).toBe(true)
      }),
      { numRuns: 2000 },
    )
  })

  test('nesting is bounded: deeper markup is text', () => {
    const nested = `${'<a>'.repeat(5)}x${'</a>'.repeat(5)}`
    expect(toXmlArguments(nested, { maxDepth: 3 })).toEqual({ a: { a: { a: '<a><a>x</a></a>' } } })
    const deep = toXmlArguments(`${'<a>'.repeat(50_000)}x${'</a>'.repeat(50_000)}`)
    expect(() => JSON.stringify(deep)).not.toThrow()
  })
})

describe('linear in the text', () => {
  const hostile: Readonly<Record<string, string>> = {
    'incomplete tags': '<a',
    'open tags': '<a>',
    'open tags of two names': '<a><b>',
    'open tags with text': '<a>x<b>y',
    'one closer for many openers': '<a><a><a><b></a>',
    'crossed tags': '<a><b></a></b>',
    'closing tags': '</a>',
    'open CDATA': '<![CDATA[',
    'open comments': '<!--',
    'unterminated quotes': '<a b="',
    'unterminated attributes': ' b="c"',
    'white space': '<a      ',
    entities: '&amp;',
    ampersands: '&',
    'many arguments': '<a>1</a>',
    'many items in a cut list': '<item>a</item>',
    'closers of the wrapper': '</arguments>',
  }
  const SIZE = 1_048_576

  // At this size an algorithm that rereads its input does not finish.
  test.each(Object.entries(hostile))('%s', (_, piece) => {
    const text = piece.repeat(SIZE / piece.length)
    toXmlArguments(`<arguments><x>${text}`)
    toXmlArguments(`<a ${text}`, { truncated: true })
  })

  test.each(['<a>', '<a><b>', '<a><a><a><b></a>', '<a><b></a></b>', '<a><b><c></c></b></a>'])(
    'pairing %s reads each token a fixed number of times',
    (piece) => {
      for (const count of [100, 1000, 10_000]) {
        const tokens = toXmlTokens(piece.repeat(count), false)
        let reads = 0
        for (const method of ['kindOf', 'tagOf'] as const) {
          const read = tokens[method].bind(tokens)
          Object.assign(tokens, { [method]: (index: number) => (reads++, read(index)) })
        }
        pairXmlTags(tokens, false)
        expect(reads).toBeLessThan(8 * tokens.length)
      }
    },
  )
})
