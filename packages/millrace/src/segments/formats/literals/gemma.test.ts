import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cutList, feedings } from '../../../../test/support/cut-text.ts'
import { joinSegments } from '../../../../test/support/segments/join-segments.ts'
import { sampleCall, writeGemma } from '../../../../test/support/segments/literal-calls.ts'
import { mergeEvents, readSegments } from '../../../../test/support/segments/read-segments.ts'
import { toToolInvocations } from '../../invocations/invocation-reader.ts'
import type { SegmentEvent } from '../../segment-event.ts'
import { functionGemma, gemma4 } from './gemma.ts'

const quote = '<|"|>'
const calls = fc.array(
  sampleCall.filter(({ values }) => !JSON.stringify(values).includes('<|')),
  { minLength: 1, maxLength: 3 },
)

function write({ name, values }: { name: string; values: object }): string {
  return `<|tool_call>call:${name}${writeGemma(values as never, quote)}<tool_call|>`
}

/** Returns the events of a text, and checks that they are the same for every split. */
function read(text: string, format = gemma4, cuts = [3, 7, 11, 19]): SegmentEvent[] {
  const [first = [], ...others] = feedings(text, cuts).map((pieces) =>
    mergeEvents(readSegments({ formats: [format] }, pieces).events),
  )
  for (const other of others) expect(other).toEqual(first)
  return first
}

function called(text: string, format = gemma4): unknown[] {
  return toToolInvocations(read(text, format)).map(({ arguments: values }) => values)
}

function shown(text: string): unknown[] {
  return joinSegments(read(text)).map(({ type, content, end }) => ({ type, content, end }))
}

test('[SEG-21] restores arguments in Gemma’s notation', () => {
  fc.assert(
    fc.property(calls, (given) => {
      const { events } = readSegments({ formats: [gemma4] }, [given.map(write).join('\n')])
      expect(
        toToolInvocations(events).map(({ name, arguments: values }) => ({ name, values })),
      ).toEqual(given)
    }),
    { numRuns: 200 },
  )
})

test('[SEG-2] [SEG-7] gives the same events for every split, and invokes no call that was cut', () => {
  fc.assert(
    fc.property(calls, fc.nat(), cutList, (given, stop, cuts) => {
      const whole = given.map(write).join('')
      const events = read(whole.slice(0, stop % (whole.length + 1)), gemma4, cuts)
      const invoked = toToolInvocations(events)
      expect(invoked.map(({ arguments: values }) => values)).toEqual(
        given.slice(0, invoked.length).map(({ values }) => values),
      )
    }),
    { numRuns: 200 },
  )
})

test('[SEG-5] every character of any text is content or markup', () => {
  const part = fc.constantFrom(
    '<|tool_call>',
    'call:f{',
    '<tool_call|>',
    quote,
    'a:',
    ',',
    '{',
    '}',
    '[',
    ']',
    '1',
    ' ',
    '\n',
    'x',
    '<',
    '<|',
    '<|channel>thought\n',
    '<channel|>',
    '😀',
  )
  const text = fc.array(part, { maxLength: 30 }).map((parts) => parts.join(''))
  const limits = {
    maxOpener: 12,
    maxHeader: 12,
    maxSpace: 4,
    maxHeld: 10,
    maxDepth: 2,
    maxCalls: 3,
  }
  fc.assert(
    fc.property(text, cutList, fc.boolean(), (given, cuts, isTight) => {
      const setup = { formats: [gemma4], ...(isTight && { limits }) }
      const [first, ...others] = feedings(given, cuts).map((pieces) => readSegments(setup, pieces))
      expect(first?.sources.map((piece) => piece.text).join('')).toBe(given)
      for (const other of others)
        expect(mergeEvents(other.events)).toEqual(mergeEvents(first?.events ?? []))
    }),
    { numRuns: 500 },
  )
})

test('[SEG-18] a quote ends a string only if the call can continue after it', () => {
  expect(called(`<|tool_call>call:f{a:${quote}x ${quote} y${quote},b:1}<tool_call|>`)).toEqual([
    { a: `x ${quote} y`, b: 1 },
  ])
})

test('[SEG-17] an early closing marker repairs the call', () => {
  expect(shown(`<|tool_call>call:f{a:${quote}x${quote}<tool_call|>.`)).toEqual([
    { type: 'tool_call', content: '{"a":"x"}', end: { repaired: true } },
    { type: 'text', content: '.', end: {} },
  ])
  expect(shown('<|tool_call>call:f{a:[1<tool_call|>.')).toMatchObject([
    { content: '{"a":"[1"}', end: { malformed: true } },
    { content: '.' },
  ])
})

test('unreadable text stays with the call, up to the closing marker', () => {
  expect(shown('<|tool_call>call:f{a:1,?}<tool_call|>.')).toMatchObject([
    { content: '{"a":1?}}', end: { malformed: true } },
    { content: '.' },
  ])
})

test.each([
  '<|tool_call>',
  '<|tool_call>no call',
  '<|tool_call>call:f',
  '<|tool_call>call:{}<tool_call|>',
])('[SEG-14] %j is text', (text) => {
  expect(shown(text)).toEqual([{ type: 'text', content: text, end: {} }])
})

test('[SEG-29] the label of the thought channel is markup, and an empty channel has no segment', () => {
  expect(shown('<|channel>thought\n<channel|>Hi')).toEqual([
    { type: 'text', content: 'Hi', end: {} },
  ])
  expect(shown('<|channel>thought\na\n<channel|>Hi')).toMatchObject([
    { type: 'reasoning', content: 'a\n' },
    { type: 'text', content: 'Hi' },
  ])
})

test('[SEG-30] a call in an unclosed thought ends it', () => {
  expect(shown('<|channel>thought\na<|tool_call>call:f{}<tool_call|>')).toMatchObject([
    { type: 'reasoning', content: 'a', end: {} },
    { type: 'tool_call', content: '{}', end: {} },
  ])
})

test('[SEG-21] strings of FunctionGemma have the type of their parameter', () => {
  const text =
    '<start_function_call>call:f{n:<escape>42<escape>,s:<escape>42<escape>}<end_function_call>'
  const tools = { f: { n: 'integer' } } as const
  const { events } = readSegments({ formats: [functionGemma], tools }, [text])
  expect(toToolInvocations(events)).toMatchObject([{ arguments: { n: 42, s: '42' } }])
  expect(called(text, functionGemma)).toEqual([{ n: '42', s: '42' }])
})
