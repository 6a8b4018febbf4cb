import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cutList, feedings } from '../../test/support/cut-text.ts'
import { runs } from '../../test/support/runs.ts'
import { readSegments } from '../../test/support/segments/read-segments.ts'
import type { HiddenCall } from './hidden-calls.ts'
import { toToolInvocations } from './invocations/invocation-reader.ts'
import { createSegmentParser, type SegmentParserOptions } from './parser.ts'
import { createStreamingResponseHandler } from './response-handler.ts'

const xml: SegmentParserOptions = { strategy: 'xml' }
const call = '<run_bash>ls</run_bash>'

function hiddenIn(pieces: Iterable<string>, options: SegmentParserOptions = xml): HiddenCall[] {
  const found: HiddenCall[] = []
  readSegments({ ...options, onHiddenCall: (hidden) => found.push(hidden) }, pieces)
  return found
}

const bash = (reason: HiddenCall['reason']): HiddenCall => ({ name: 'run_bash', reason })

describe('a call in code is reported', () => {
  test.each<[string, string, SegmentParserOptions, HiddenCall[]]>([
    ['in a fence', `\`\`\`\n${call}\n\`\`\`\nDone.`, xml, [bash('fence')]],
    ['in a fence that ends the text', `\`\`\`\n${call}\n\`\`\``, xml, [bash('fence')]],
    ['in a fence of tildes', `~~~sh\n${call}\n~~~\n`, xml, [bash('fence')]],
    ['in an unclosed fence', `\`\`\`\n${call}\nmore`, xml, [bash('unclosed_fence')]],
    ['in inline code', `Use \`${call}\` then`, xml, [bash('inline_code')]],
    ['in inline code that ends the text', `Use \`\`${call}\`\``, xml, [bash('inline_code')]],
    ['twice', `\`\`\`\n${call}\n${call}\n\`\`\`\n`, xml, [bash('fence'), bash('fence')]],
    [
      'in each of two',
      `\`${call}\` or \`${call}\``,
      xml,
      [bash('inline_code'), bash('inline_code')],
    ],
    [
      'as JSON',
      '```json\n{"name":"get_weather","arguments":{}}\n```\n',
      { formats: ['json'] },
      [{ name: 'get_weather', reason: 'fence' }],
    ],
    [
      'as JSON of a strategy',
      '```\n{"tool": {"function": "f", "parameters": {}}}\n```\n',
      { strategy: 'json' },
      [{ name: 'f', reason: 'fence' }],
    ],
    [
      'as a tag of a tool',
      '```xml\n<tool name="add"><arguments><arg name="a">1</arg></arguments></tool>\n```\n',
      xml,
      [{ name: 'add', reason: 'fence' }],
    ],
  ])('%s', (_, text, options, wanted) => {
    for (const pieces of feedings(text, [3, 7, 20]))
      expect(hiddenIn(pieces, options)).toEqual(wanted)
  })
})

describe('reports nothing', () => {
  test.each([
    ['of a tag that is mentioned', 'Use `<run_bash>` and close it with </run_bash>.'],
    ['of a call that is cut', `\`\`\`\n<run_bash>ls\n\`\`\`\n`],
    ['of a call that counts', `a \` b ${call}\n`],
    ['of code without a call', '```\n<p>1 < 2</p>\n```\n'],
    ['of a call after the code', `\`<b>\` ${call}`],
  ])('%s', (_, text) => {
    for (const pieces of feedings(text, [3, 7, 20])) expect(hiddenIn(pieces)).toEqual([])
  })

  test('if code hides nothing', () => {
    const text = `\`\`\`\n${call}\n\`\`\``
    expect(hiddenIn([text], { ...xml, fences: 'transparent', inline: 'transparent' })).toEqual([])
  })
})

describe('a lone backtick', () => {
  test('hides nothing: the call after it counts', () => {
    for (const text of [`a \` lone tick ${call}`, `a \` b ${call}\nc \` d`, `it''s \`\` ${call}`]) {
      const calls = toToolInvocations(readSegments(xml, text).events)
      expect(calls.map(({ name }) => name)).toEqual(['run_bash'])
    }
  })

  test('holds an opener until its line is known, and no longer', () => {
    const parser = createSegmentParser(xml)
    parser.feed(`a \` b ${call} c`)
    expect(parser.held).toBe(`${call} c`)
    expect(parser.feed('\n').map(({ type }) => type)).toContain('SEGMENT_START')
    expect(parser.held).toBe('')
  })

  test('hides a call on a line over the limit, and the call is reported', () => {
    const limits = { maxHeld: 40 }
    for (const length of [0, 16, 17, 40]) {
      const text = `a \` ${call}${'x'.repeat(length)}\n`
      const isLong = call.length + length >= limits.maxHeld
      const wanted = isLong ? [bash('inline_code')] : []
      for (const pieces of feedings(text, [9, 30])) {
        expect([length, hiddenIn(pieces, { ...xml, limits })]).toEqual([length, wanted])
      }
    }
  })
})

test('reports the same calls for every split', () => {
  const piece = fc.constantFrom(
    '`',
    '``',
    '```',
    '\n```\n',
    '\n~~~\n',
    '\n',
    ' ',
    'a',
    call,
    '<run_bash>',
    '</run_bash>',
    '<write_file path="/a">',
    '</write_file>',
    '<tool name="f">',
    '</tool>',
    '<',
    '{"tool"',
  )
  const text = fc.array(piece, { maxLength: 24 }).map((pieces) => pieces.join(''))
  fc.assert(
    fc.property(text, cutList, (whole, cuts) => {
      const [first, ...others] = feedings(whole, cuts).map((pieces) => hiddenIn(pieces))
      for (const other of others) expect(other).toEqual(first)
      const withReport = readSegments({ ...xml, onHiddenCall: () => {} }, [whole]).events
      expect(withReport).toEqual(readSegments(xml, [whole]).events)
    }),
    { numRuns: runs(1000, 100_000) },
  )
})

test('reads code up to the limits', () => {
  const text = `\`\`\`\n${call.repeat(20)}\n\`\`\`\n`
  expect(hiddenIn([text], { ...xml, limits: { maxHeld: 100 } })).toHaveLength(4)
  expect(hiddenIn([text], { ...xml, limits: { maxCalls: 3 } })).toHaveLength(3)
})

test('a handler’s listener that throws does not stop the stream', () => {
  const errors: unknown[] = []
  const handler = createStreamingResponseHandler({
    strategy: 'xml',
    onError: (error) => errors.push(error),
    onHiddenCall: () => {
      throw new Error('No.')
    },
  })
  const events = [...handler.feed(`\`${call}\` end`), ...handler.finalize()]
  expect(events.map(({ type }) => type).at(-1)).toBe('SEGMENT_END')
  expect(errors).toEqual([new Error('No.')])
})
