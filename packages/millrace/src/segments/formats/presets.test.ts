import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { mergeEvents, readSegments } from '../../../test/support/segments/read-segments.ts'
import { toToolInvocations } from '../invocations/invocation-reader.ts'
import type { SegmentParserOptions } from '../parser.ts'
import type { SegmentEvent } from '../segment-event.ts'
import { auto, type PresetName, presets } from './presets.ts'

interface PresetCase {
  readonly name: string
  readonly format: PresetName
  readonly text: string
  readonly options?: SegmentParserOptions
}

const file = new URL('../../../../../spec/vectors/presets.jsonl', import.meta.url)
const cases = readFileSync(file, 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as PresetCase)

test('every preset has a case', () => {
  const covered = new Set(cases.map(({ format }) => format))
  expect(Object.keys(presets).filter((name) => !covered.has(name as PresetName))).toEqual([])
})

function eventsOf(options: SegmentParserOptions, text: string): SegmentEvent[] {
  const whole = readSegments(options, [text])
  const events = mergeEvents(whole.events)
  const single = mergeEvents(readSegments(options, text.split('')).events)
  // One comparison of texts: thousands of deep comparisons take seconds.
  expect(JSON.stringify(single)).toBe(JSON.stringify(events))
  expect(whole.sources.map((piece) => piece.text).join('')).toBe(text)
  return events
}

/** A closer in a value, or the text of a link, is read as the end of a call if the stream stops right after it. */
const ambiguous = /closer_in_a_value|pythonic_link/

describe.each(cases.map((one) => [one.name, one] as const))(
  '%s',
  (name, { format, text, options }) => {
    const given: SegmentParserOptions = { formats: [format], ...options }
    const whole = toToolInvocations(eventsOf(given, text)).map((call) => call.arguments)

    test('[SEG-7] [SEG-37] invokes no call that was cut, at any character', () => {
      for (let end = 0; end < text.length; end++) {
        const calls = toToolInvocations(eventsOf(given, text.slice(0, end)))
        const found = calls.map((call) => call.arguments)
        if (!ambiguous.test(name)) expect(found).toEqual(whole.slice(0, found.length))
      }
    })
  },
)

describe('auto', () => {
  const prose = [
    'Use [f(a=1)] and {"name": "f", "arguments": {}} and functools[{"name": "f", "arguments": {}}].',
    'Action: f\nAction Input: {}',
    '>>>f\n{}',
    '{"name": "f", "arguments": {}}',
    '[f(a=1)]',
    'Here is my thought process: none. Here is my response: none.',
    '<thinking>aloud</thinking> <reasoning>too</reasoning>',
    '*** Begin Patch\n*** Delete File: a\n*** End Patch',
  ]
  test.each(prose)('reads %j as text', (text) => {
    const events = eventsOf({ formats: auto }, text)
    expect(events).toMatchObject([
      { segment_type: 'text' },
      { payload: { delta: text } },
      { type: 'SEGMENT_END' },
    ])
  })

  const unambiguous = cases.filter(({ format }) => auto.includes(presets[format]))
  test.each(unambiguous.map((one) => [one.name, one] as const))(
    'reads %s like its own format',
    (_name, { format, text, options }) => {
      const own = eventsOf({ formats: [format], ...options }, text)
      expect(eventsOf({ formats: auto, ...options }, text)).toEqual(own)
    },
  )
})
