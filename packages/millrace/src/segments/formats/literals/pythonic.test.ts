import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cutList, feedings } from '../../../../test/support/cut-text.ts'
import { joinSegments } from '../../../../test/support/segments/join-segments.ts'
import { sampleCall, writePythonCall } from '../../../../test/support/segments/literal-calls.ts'
import { mergeEvents, readSegments } from '../../../../test/support/segments/read-segments.ts'
import { toToolInvocations } from '../../invocations/invocation-reader.ts'
import type { SegmentParserOptions } from '../../parser.ts'
import { olmo3, pythonic } from './pythonic.ts'

const options: SegmentParserOptions = { formats: [pythonic] }

interface Item {
  readonly type: string
  readonly content?: string
  readonly name?: string
  readonly arguments?: unknown
  readonly end?: unknown
}

/** Returns the segments and the calls of a text, and checks that they are the same for every split. */
function read(text: string, given: SegmentParserOptions = options): Item[] {
  const all = feedings(text, [3, 7, 11, 19]).map((pieces) =>
    mergeEvents(readSegments(given, pieces).events),
  )
  const [events = []] = all
  for (const other of all) expect(other).toEqual(events)
  const calls = toToolInvocations(events)
  return joinSegments(events).map(({ id, type, content, end = {} }) => {
    const call = calls.find((one) => one.id === id)
    const how = Object.keys(end).length > 0 ? { end } : {}
    if (call === undefined) return { type, content, ...how }
    return { type, name: call.name, arguments: call.arguments, ...how }
  })
}

function called(text: string): unknown[] {
  return read(text).map(({ arguments: values }) => values)
}

const quotes = fc.constantFrom('"' as const, "'" as const)
const wrappers = fc.constantFrom(
  { format: pythonic, open: '[', close: ']' },
  { format: pythonic, open: 'Ok.\n  [ ', close: ',\n]' },
  { format: pythonic, open: '<|python_start|>[', close: ']<|python_end|>' },
  { format: pythonic, open: '<|tool_call_start|>\n[', close: ']<|tool_call_end|> ok' },
  { format: pythonic, open: '<|python_start|>', close: '<|python_end|>' },
  { format: olmo3, open: 'x<function_calls>\n', close: '\n</function_calls>' },
)
const lists = fc.array(sampleCall, { minLength: 1, maxLength: 3 })

test('[SEG-21] restores arguments in Python notation', () => {
  fc.assert(
    fc.property(lists, quotes, wrappers, (calls, quote, { format, open, close }) => {
      const list = calls.map((call) => writePythonCall(call, quote)).join(',\n')
      const { events } = readSegments({ formats: [format] }, [open + list + close])
      expect(
        toToolInvocations(events).map(({ name, arguments: values }) => ({ name, values })),
      ).toEqual(calls)
    }),
    { numRuns: 200 },
  )
})

test('[SEG-2] [SEG-7] gives the same events for every split, and invokes no call that was cut', () => {
  fc.assert(
    fc.property(
      lists,
      quotes,
      wrappers,
      fc.nat(),
      cutList,
      (calls, quote, { format, open, close }, stop, cuts) => {
        const whole = open + calls.map((call) => writePythonCall(call, quote)).join(', ') + close
        const text = whole.slice(0, stop % (whole.length + 1))
        const [first, ...others] = feedings(text, cuts).map((pieces) =>
          mergeEvents(readSegments({ formats: [format] }, pieces).events),
        )
        for (const other of others) expect(other).toEqual(first)
        const invoked = toToolInvocations(first ?? [])
        expect(invoked.map(({ arguments: values }) => values)).toEqual(
          calls.slice(0, invoked.length).map(({ values }) => values),
        )
      },
    ),
    { numRuns: 200 },
  )
})

test('[SEG-5] every character of any text is content or markup', () => {
  const part = fc.constantFrom(
    '[',
    ']',
    '(',
    ')',
    'f',
    'f(',
    'a=',
    "'",
    '"',
    '"""',
    ',',
    ' ',
    '\n',
    '\\',
    '1',
    '{',
    '}',
    ':',
    '<',
    '<|python_start|>',
    '<|python_end|>',
    'r"',
    'None',
    '😀',
  )
  const text = fc.array(part, { maxLength: 30 }).map((parts) => parts.join(''))
  const limits = { maxOpener: 12, maxProbe: 20, maxSpace: 4, maxHeld: 10, maxDepth: 2, maxCalls: 3 }
  fc.assert(
    fc.property(text, cutList, fc.boolean(), (given, cuts, isTight) => {
      const setup = { ...options, ...(isTight && { limits }) }
      const [first, ...others] = feedings(given, cuts).map((pieces) => readSegments(setup, pieces))
      expect(first?.sources.map((piece) => piece.text).join('')).toBe(given)
      for (const other of others)
        expect(mergeEvents(other.events)).toEqual(mergeEvents(first?.events ?? []))
    }),
    { numRuns: 500 },
  )
})

describe('[SEG-15] a list without a marker', () => {
  test.each([
    '[f(1)]',
    '[f(x)]',
    '[f(a==1)]',
    '[f]',
    '[]',
    '[f()](https://example.com)',
    '[f()][1]',
    '[f()]: https://example.com',
    '[f(), see below]',
    '[ref (a=1)]',
    'f(a=1)',
    '- [f(a=1)]',
    '`[f(a=1)]`',
    '[f(',
    '[f(a',
    '[f()',
  ])('%j is text', (text) => {
    expect(read(text)).toEqual([{ type: 'text', content: text }])
  })

  test('is a call with a key, or without arguments in its own list', () => {
    expect(called('[f(a=1)]')).toEqual([{ a: 1 }])
    expect(called('[f()]')).toEqual([{}])
    expect(called('[f(), g( )]')).toEqual([{}, {}])
    expect(called('[ f(), g(b=2), ]')).toEqual([{}, { b: 2 }])
  })

  test('must name a known tool first', () => {
    const known = { ...options, knownTools: ['f'] }
    expect(read('[g(a=1)]', known)).toEqual([{ type: 'text', content: '[g(a=1)]' }])
    expect(read('[f(a=1)]', known)).toEqual([{ type: 'tool_call', name: 'f', arguments: { a: 1 } }])
  })
})

describe('strings', () => {
  test.each([
    ["'it's'", "it's"],
    ["'say 'hi', ok'", "say 'hi', ok"],
    ["'He said 'hi''", "He said 'hi'"],
    ['"""a "b" c"""', 'a "b" c'],
    ['"""a""""', 'a"'],
    ["'a'\n   'b'", 'ab'],
    ["r'\\d+\\'x'", "\\d+\\'x"],
    ["''", ''],
    ["'line\nbreak'", 'line\nbreak'],
    ["'\\u00e9\\ud83d\\ude00'", 'é😀'],
  ])('%s is %j', (written, value) => {
    expect(called(`[f(a=${written})]`)).toEqual([{ a: value }])
    expect(called(`[f(a=${written}, b=1)]`)).toEqual([{ a: value, b: 1 }])
  })

  test('[SEG-33] the content of a file streams while its string is open', () => {
    const { live } = readSegments(options, ["[write_file(path='/a', content='one\\ntwo"])
    expect(joinSegments(live)).toMatchObject([
      { type: 'write_file', metadata: { path: '/a' }, content: 'one\ntwo' },
    ])
  })
})

describe('invalid calls', () => {
  test('a value that is not a literal is a string, and the call is malformed', () => {
    expect(read('[f(a=x + 1, b=2)]')).toEqual([
      { type: 'tool_call', content: '{"a":"x + 1","b":2}', end: { malformed: true } },
    ])
  })

  test('an argument without a key ends the call, and the rest is text', () => {
    expect(read('[f(a=1, 2)]')).toEqual([
      { type: 'tool_call', content: '{"a":1}', end: { malformed: true } },
      { type: 'text', content: '2)]' },
    ])
  })

  test('between tokens the rest stays with the call, up to the closing token', () => {
    expect(read('<|python_start|>[f(a=1, 2)]<|python_end|>ok')).toEqual([
      { type: 'tool_call', content: '{"a":1 2)]}', end: { malformed: true } },
      { type: 'text', content: 'ok' },
    ])
  })

  test('an early closing token repairs the call', () => {
    expect(read('<|python_start|>[f(a=1<|python_end|>ok')).toEqual([
      { type: 'tool_call', name: 'f', arguments: { a: 1 }, end: { repaired: true } },
      { type: 'text', content: 'ok' },
    ])
  })

  test('text after a call in a list makes it malformed', () => {
    expect(read('[f(a=1) is how]')).toEqual([
      { type: 'tool_call', content: '{"a":1}', end: { malformed: true } },
      { type: 'text', content: ' is how]' },
    ])
  })

  test('tokens around other text are text', () => {
    const text = '<|python_start|>print(1)<|python_end|>'
    expect(read(text)).toEqual([{ type: 'text', content: text }])
  })

  test('a literal over the limit is a string', () => {
    const limits = { maxHeld: 10 }
    expect(read('[f(a=[1, 2, 3, 4, 5, 6])]', { ...options, limits })).toEqual([
      { type: 'tool_call', content: '{"a":"[1, 2, 3, 4, 5, 6]"}', end: { malformed: true } },
    ])
  })
})

test('LFM2 may write JSON between its tokens', () => {
  expect(
    called('<|tool_call_start|>[{"name":"f","arguments":{"a":"]"}}]<|tool_call_end|>'),
  ).toEqual([{ a: ']' }])
})
