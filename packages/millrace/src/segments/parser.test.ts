import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cutList, feedings } from '../../test/support/cut-text.ts'
import { runs } from '../../test/support/runs.ts'
import {
  findDisorder,
  hasTornPair,
  goesOnTo,
  joinContents,
  mergeEvents,
  readSegments,
} from '../../test/support/segments/read-segments.ts'
import {
  mostHeldWith,
  type Setup,
  setups,
  tightLimits,
  verbatimSetups,
} from '../../test/support/segments/setups.ts'
import { toToolInvocations } from './invocations/invocation-reader.ts'
import { createSegmentParser, type SegmentParserOptions } from './parser.ts'
import type { SegmentEvent } from './segment-event.ts'

/** Each setup with the default limits, and with limits that short texts reach. */
const cases: readonly Setup[] = setups.flatMap(({ name, options, text }) => [
  { name, options, text },
  { name: `${name}, tight limits`, options: { ...options, limits: tightLimits }, text },
])

describe.each(cases)('$name', ({ options, text }) => {
  test('[SEG-1] [SEG-2] [SEG-3] [SEG-5] gives the same events for every split, in order, and accounts for every character', () => {
    fc.assert(
      fc.property(text, cutList, (whole, cuts) => {
        const [first, ...others] = feedings(whole, cuts).map((pieces) =>
          readSegments(options, pieces),
        )
        const events = mergeEvents(first?.events ?? [])
        for (const reading of [first!, ...others]) {
          expect(mergeEvents(reading.events)).toEqual(events)
          expect(findDisorder(reading.events)).toBeUndefined()
          expect(hasTornPair(reading.events)).toBe(hasTornPair(first?.events ?? []))
          expect(reading.sources.map((piece) => piece.text).join('')).toBe(whole)
          expect(reading.mostHeld).toBeLessThanOrEqual(mostHeldWith(options.limits))
        }
      }),
      { numRuns: runs(12, 2000) },
    )
  })

  test('[SEG-5] never revokes an event', () => {
    fc.assert(
      fc.property(text, (whole) => {
        const events = mergeEvents(readSegments(options, [whole]).events)
        for (const said of saidAfterEach(options, whole)) expect(goesOnTo(said, events)).toBe(true)
      }),
      { numRuns: runs(5, 500) },
    )
  })

  test('[SEG-7] [SEG-37] stopped anywhere, closes all segments and invokes only calls of the whole text', () => {
    fc.assert(
      fc.property(text, fc.nat(), (whole, stop) => {
        const part = whole.slice(0, stop % (whole.length + 1))
        // The end of a stream ends its line, so a stop decides that a backtick before it opens no inline code.
        // [SEG-12]
        const given: SegmentParserOptions = /`[^\n]*$/.test(part)
          ? { ...options, inline: 'transparent' }
          : options
        const { events, sources } = readSegments(given, [part])
        expect(findDisorder(events)).toBeUndefined()
        expect(sources.map((piece) => piece.text).join('')).toBe(part)
        const calls = toToolInvocations(readSegments(given, [whole]).events, given)
        for (const call of toToolInvocations(events, given)) expect(calls).toContainEqual(call)
      }),
      { numRuns: runs(20, 3000) },
    )
  })
})

/** Returns the events of a parser after each character. */
function saidAfterEach(options: SegmentParserOptions, text: string): SegmentEvent[][] {
  const parser = createSegmentParser(options)
  const said: SegmentEvent[] = []
  return text.split('').map((unit) => {
    said.push(...parser.feed(unit))
    return mergeEvents(said)
  })
}

test.each(verbatimSetups)('[SEG-16] $name: content is verbatim', ({ options, text }) => {
  fc.assert(
    fc.property(text, cutList, (whole, cuts) => {
      for (const pieces of feedings(whole, cuts)) {
        const { events, sources } = readSegments(options, pieces)
        const written = sources.filter(({ role }) => role === 'content').map((piece) => piece.text)
        expect(joinContents(events)).toBe(written.join(''))
      }
    }),
    { numRuns: runs(30, 2000) },
  )
})

test('[SEG-2] [SEG-40] accepts any units, including lone surrogates', () => {
  const units = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 60 }),
    fc.array(fc.nat(0xffff), { maxLength: 60 }).map((codes) => String.fromCharCode(...codes)),
    fc
      .array(fc.constantFrom('\ud83d', '\ude00', '😀', '<think>', '<tool_call>', '{', '"', 'a'), {
        maxLength: 20,
      })
      .map((pieces) => pieces.join('')),
  )
  fc.assert(
    fc.property(units, cutList, fc.nat(setups.length - 1), (whole, cuts, number) => {
      const { options } = setups[number]!
      const readings = feedings(whole, cuts).map((pieces) => readSegments(options, pieces))
      const events = mergeEvents(readings[0]?.events ?? [])
      // Surrogates that markup separated may become adjacent, in two deltas.
      const apart = hasTornPair(readings[0]?.events ?? [])
      for (const reading of readings) {
        expect(mergeEvents(reading.events)).toEqual(events)
        expect(hasTornPair(reading.events)).toBe(apart)
      }
    }),
    { numRuns: runs(300, 50_000) },
  )
})

test('a parser reads one stream', () => {
  const parser = createSegmentParser()
  parser.finalize()
  expect(() => parser.feed('x')).toThrow('feed was called after finalize')
  expect(() => parser.finalize()).toThrow('finalize was called after finalize')
})
