import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cutList, feedings } from '../../test/support/cut-text.ts'
import { joinSegments } from '../../test/support/segments/join-segments.ts'
import { runs } from '../../test/support/runs.ts'
import { plainCallOf, projectedCallOf } from '../../test/support/segments/calls.ts'
import { type Notation, notations } from '../../test/support/segments/notations.ts'
import { readSegments } from '../../test/support/segments/read-segments.ts'
import type { JsonObject } from '../json/index.ts'
import { toToolInvocations } from './invocations/invocation-reader.ts'

/** Text before and after a call that must stay text. */
const prose = fc.constantFrom('', 'Well.\n', 'a < b\n', '😀\n')

/**
 * Parses a call, split at any position, and returns its segments and invocations, which must be the same each
 * time.
 */
function readBack({ options }: Notation, text: string, cuts: readonly number[]) {
  const [first, ...others] = feedings(text, cuts).map((pieces) => {
    const { events } = readSegments(options, pieces)
    return { segments: joinSegments(events), calls: toToolInvocations(events, options) }
  })
  for (const other of others) expect(other).toEqual(first)
  return first!
}

/** Compares as JSON and by own keys: `toEqual` ignores `__proto__`. */
function expectSame(found: JsonObject | undefined, wanted: JsonObject): void {
  expect(Object.entries(found ?? {})).toEqual(Object.entries(wanted))
  expect(Object.getPrototypeOf(found)).toBe(Object.prototype)
}

const plain = notations.filter(({ filesOnly }) => filesOnly !== true)

describe.each(plain)('$name', (notation) => {
  test('[SEG-32] [SEG-36] invokes the call that was written', () => {
    fc.assert(
      fc.property(
        plainCallOf(notation),
        prose,
        prose,
        cutList,
        ({ tool, values }, before, after, cuts) => {
          const text = `${before}${notation.write(tool, values)}${after}`
          const { calls } = readBack(notation, text, cuts)
          expect(calls.map(({ name }) => name)).toEqual([tool])
          expectSame(calls[0]?.arguments, values)
        },
      ),
      { numRuns: runs(20, 5000) },
    )
  })
})

describe.each(notations)('$name', (notation) => {
  test('[SEG-33] [SEG-34] files and commands keep any content', () => {
    fc.assert(
      fc.property(projectedCallOf(notation), prose, cutList, ({ tool, values }, before, cuts) => {
        const text = `${before}${notation.write(tool, values)}`
        const { segments, calls } = readBack(notation, text, cuts)
        const segment = segments.find(({ type }) => type === tool)
        const { path, ...rest } = values
        expect(segment?.content).toBe(Object.values(rest)[0])
        expect(segment?.metadata['path']).toBe(path)
        expect(calls.map(({ name }) => name)).toEqual([tool])
        expectSame(calls[0]?.arguments, values)
      }),
      { numRuns: runs(20, 5000) },
    )
  })
})
