import { describe, expect, test } from 'vitest'
import { joinSegments, type JoinedSegment } from '../../test/support/segments/join-segments.ts'
import { mergeEvents, readSegments } from '../../test/support/segments/read-segments.ts'
import { toToolInvocations } from './invocations/invocation-reader.ts'
import type { SegmentLimits } from './limits.ts'
import type { SegmentParserOptions } from './parser.ts'

interface LimitCase {
  readonly limit: keyof SegmentLimits
  readonly what: string
  readonly options: SegmentParserOptions
  /** Returns a text in which the limited part has exactly this size. */
  write(size: number): string
  /** Checks whether the text was read as one within the limit. */
  isWithin(segments: readonly JoinedSegment[], options: SegmentParserOptions): boolean
}

/** Fills a text up to a length. */
function filled(length: number, before: string, after: string): string {
  return `${before}${'x'.repeat(length - before.length - after.length)}${after}`
}

function isOfType(type: string): LimitCase['isWithin'] {
  return (segments) => segments[0]?.type === type
}

const isWhole: LimitCase['isWithin'] = ([first]) =>
  first?.type === 'tool_call' && first.end?.malformed === undefined

const hermes: SegmentParserOptions = { formats: ['hermes'] }
const qwen: SegmentParserOptions = { formats: ['qwen3coder'] }

const cases: readonly LimitCase[] = [
  {
    limit: 'maxOpener',
    what: 'an opening tag',
    options: { strategy: 'xml' },
    write: (size) => `${filled(size, '<run_bash a="', '">')}ls</run_bash>`,
    isWithin: isOfType('run_bash'),
  },
  {
    limit: 'maxOpener',
    what: 'white space in an opening tag',
    options: { strategy: 'xml' },
    write: (size) => `<run_bash${' '.repeat(size - 10)}>ls</run_bash>`,
    isWithin: isOfType('run_bash'),
  },
  {
    limit: 'maxOpener',
    what: 'white space around the equals sign of an attribute',
    options: { strategy: 'xml', limits: { maxSpace: 1 } },
    write: (size) => `<run_bash a${' '.repeat(size - 20)}=     "">ls</run_bash>`,
    isWithin: isOfType('run_bash'),
  },
  {
    limit: 'maxHeader',
    what: 'the header of a sentinel',
    options: { strategy: 'sentinel' },
    write: (size) => `[[SEG_START${filled(size, ' {"type":"tool","a":"', '"}')}]]x[[SEG_END]]`,
    isWithin: isOfType('tool_call'),
  },
  {
    limit: 'maxHeader',
    what: 'the name before a body',
    options: { formats: ['kimi-k2'] },
    write: (size) => `<|tool_call_begin|>${filled(size, 'f', '')}<|tool_call_argument_begin|>{}`,
    isWithin: isOfType('tool_call'),
  },
  {
    limit: 'maxHeader',
    what: 'a name in JSON',
    options: hermes,
    write: (size) => `<tool_call>{"name":${filled(size, '"f', '"')},"arguments":{}}</tool_call>`,
    isWithin: isOfType('tool_call'),
  },
  {
    limit: 'maxProbe',
    what: 'JSON that nothing announces, up to its arguments',
    options: { formats: ['json'] },
    write: (size) => `${filled(size, '{"name":"f', '","arguments":{')}}}`,
    isWithin: isOfType('tool_call'),
  },
  {
    limit: 'maxSpace',
    what: 'white space after a closer in data',
    options: qwen,
    write: (size) =>
      `<function=f><parameter=a>v</parameter>${' '.repeat(size)}</function>\nand so on`,
    isWithin: ([first]) => first?.content === '{"a":"v"}',
  },
  {
    limit: 'maxHeld',
    what: 'a call before its name',
    options: { ...hermes, limits: { maxHeader: 1000 } },
    write: (size) =>
      `${filled(size, '<tool_call>{"arguments":{"a":"', '"},"name":')}"f"}</tool_call>`,
    isWithin: isOfType('tool_call'),
  },
  {
    limit: 'maxHeld',
    what: 'content before its path',
    options: hermes,
    write: (size) =>
      `<tool_call>{"name":"write_file","arguments":{"content":"${'x'.repeat(size)}","path":"/a"}}</tool_call>`,
    isWithin: ([first]) => first?.metadata['path'] === '/a',
  },
  {
    limit: 'maxMetadata',
    what: 'arguments besides the content',
    options: hermes,
    write: (size) =>
      `<tool_call>{"name":"run_bash","arguments":{"command":"ls","k":"${'x'.repeat(size - 1)}"}}</tool_call>`,
    isWithin: ([first]) =>
      first?.end?.malformed === undefined && first?.end?.metadata !== undefined,
  },
  {
    limit: 'maxDepth',
    what: 'a typed value',
    options: { ...qwen, tools: { f: { a: 'array' } } },
    write: (size) =>
      `<function=f><parameter=a>${'['.repeat(size)}${']'.repeat(size)}</parameter></function>`,
    isWithin: ([call]) => call?.content.startsWith('{"a":[') === true,
  },
  {
    limit: 'maxDepth',
    what: 'JSON in JSON',
    options: hermes,
    write: (size) =>
      `<tool_call>{"name":"f","arguments":{"a":${'['.repeat(size - 1)}${']'.repeat(size - 1)}}}</tool_call>`,
    isWithin: isWhole,
  },
  {
    limit: 'maxCalls',
    what: 'calls one after the other',
    options: qwen,
    write: (size) => '<function=f></function>'.repeat(size),
    isWithin: (segments) => segments.every(({ type }) => type === 'tool_call'),
  },
  {
    limit: 'maxCalls',
    what: 'calls in a list',
    options: { formats: ['mistral'] },
    write: (size) => `[TOOL_CALLS][${'{"name":"f","arguments":{}},'.repeat(size).slice(0, -1)}]`,
    isWithin: (segments) => segments.every(({ type }) => type === 'tool_call'),
  },
  {
    limit: 'maxCalls',
    what: 'calls as the keys of an object',
    options: { formats: ['apertus'] },
    write: (size) =>
      `<|tools_prefix|>${JSON.stringify(Object.fromEntries(Array.from({ length: size }, (_, index) => [`f${index}`, {}])))}<|tools_suffix|>`,
    isWithin: (segments) => segments.every(({ type }) => type === 'tool_call'),
  },
  {
    limit: 'maxCalls',
    what: 'commands in tags',
    options: { strategy: 'xml' },
    write: (size) => '<run_bash>ls</run_bash>'.repeat(size),
    isWithin: (segments) => segments.every(({ type }) => type === 'run_bash'),
  },
]

/** Returns the results for a text split in two at each position, and whole. */
function readEverywhere(options: SegmentParserOptions, text: string) {
  const whole = readSegments(options, [text])
  const events = mergeEvents(whole.events)
  const wanted = JSON.stringify(events)
  const halves = Array.from(text, (_, cut) => [text.slice(0, cut), text.slice(cut)])
  const odd = [...halves, text.split('')].find(
    (pieces) => JSON.stringify(mergeEvents(readSegments(options, pieces).events)) !== wanted,
  )
  expect(odd).toBeUndefined()
  expect(whole.sources.map((piece) => piece.text).join('')).toBe(text)
  return joinSegments(events)
}

describe.each(cases)('[SEG-40] $limit bounds $what', ({ limit, options, write, isWithin }) => {
  const smallest = ['maxCalls', 'maxDepth', 'maxSpace'].includes(limit) ? 3 : 60

  test.each([smallest, smallest + 7])('at %i, for every split', (bound) => {
    const bounded = { ...options, limits: { ...options.limits, [limit]: bound } }
    for (const size of [bound - 1, bound, bound + 1, bound + 2]) {
      const segments = readEverywhere(bounded, write(size))
      expect([size, isWithin(segments, bounded)]).toEqual([size, size <= bound])
    }
  })
})

test('[SEG-40] a call whose path exceeds the limit is not invoked with a part of it', () => {
  const text = `<tool name="write_file"><path>${'p'.repeat(80)}</path><content>x</content></tool>`
  const options: SegmentParserOptions = {
    strategy: 'xml',
    limits: { maxHeld: 20, maxMetadata: 10 },
  }
  const segments = readEverywhere(options, text)
  expect(segments[0]?.end?.malformed).toBe(true)
  expect(toToolInvocations(readSegments(options, [text]).events)).toEqual([])
})
