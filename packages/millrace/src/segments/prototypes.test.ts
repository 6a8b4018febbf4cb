import { describe, expect, test } from 'vitest'
import { joinSegments } from '../../test/support/segments/join-segments.ts'
import { notations } from '../../test/support/segments/notations.ts'
import { readSegments } from '../../test/support/segments/read-segments.ts'
import type { JsonObject } from '../json/index.ts'
import { toToolInvocations } from './invocations/invocation-reader.ts'
import type { SegmentParserOptions } from './parser.ts'

const inherited = ['__proto__', 'constructor', 'toString', 'valueOf', 'hasOwnProperty']
const before = JSON.stringify(Object.getOwnPropertyNames(Object.prototype))

function read(options: SegmentParserOptions, text: string) {
  const { events } = readSegments(options, text.split(''))
  expect(JSON.stringify(Object.getOwnPropertyNames(Object.prototype))).toBe(before)
  return { segments: joinSegments(events), calls: toToolInvocations(events, options) }
}

/** Creates an object with one own property of any name. */
function own(key: string, value: string): JsonObject {
  return Object.fromEntries([[key, value]])
}

function expectOwn(found: JsonObject | undefined, key: string, value: string): void {
  expect(Object.entries(found ?? {})).toContainEqual([key, value])
  expect(Object.getPrototypeOf(found)).toBe(Object.prototype)
}

describe.each(inherited)('[SEG-36] %s is a name like any other', (name) => {
  test.each(notations.filter(({ filesOnly, tools }) => !filesOnly && tools === undefined))(
    'of a tool and of an argument: $name',
    ({ options, write }) => {
      const { calls } = read(options, write(name, own(name, 'x')))
      expect(calls.map((call) => call.name)).toEqual([name])
      expectOwn(calls[0]?.arguments, name, 'x')
    },
  )

  test.each(notations.filter(({ filesOnly, tools }) => !filesOnly && tools === undefined))(
    'of an argument beside the content: $name',
    ({ options, write }) => {
      const { segments, calls } = read(
        options,
        write('run_bash', { command: 'ls', ...own(name, 'x') }),
      )
      expect(segments.map(({ type }) => type)).toContain('run_bash')
      expectOwn(calls[0]?.arguments, name, 'x')
    },
  )

  test('in the header of a sentinel', () => {
    const header = JSON.stringify({ type: 'run_bash', ...own(name, 'x') })
    const { segments } = read({ strategy: 'sentinel' }, `[[SEG_START ${header}]]ls[[SEG_END]]`)
    expectOwn(segments[0]?.metadata, name, 'x')
  })

  test('as an attribute, and as the value of an attribute that selects a type', () => {
    const { segments } = read({ strategy: 'xml' }, `<run_bash ${name}="x">ls</run_bash>`)
    expect(segments.map(({ type, metadata }) => [type, metadata])).toEqual([['run_bash', {}]])
    const bolt = `<boltArtifact><boltAction type="${name}">x</boltAction></boltArtifact>`
    expect(read({ formats: ['bolt'] }, bolt).segments.map(({ type }) => type)).toEqual(['text'])
  })

  test('as a type of a sentinel, a known tool, or a tool with parameters', () => {
    const header = `[[SEG_START ${JSON.stringify({ type: name })}]]`
    expect(read({ strategy: 'sentinel' }, header).segments.map(({ type }) => type)).toEqual([
      'text',
    ])
    const bare = JSON.stringify({ name, arguments: own(name, '1') })
    expect(read({ formats: ['json'], knownTools: ['f'] }, bare).calls).toEqual([])
    const tagged = `<function=${name}><parameter=${name}>1</parameter></function>`
    const { calls } = read({ formats: ['qwen3coder'], tools: { f: { n: 'integer' } } }, tagged)
    expectOwn(calls[0]?.arguments, name, '1')
  })
})
