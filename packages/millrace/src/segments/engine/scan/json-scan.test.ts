import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cutList, feedings } from '../../../../test/support/cut-text.ts'
import { runs } from '../../../../test/support/runs.ts'
import { nastyText } from '../../../../test/support/segments/texts.ts'
import { JsonScan, type JsonUse } from './json-scan.ts'
import { InputBuffer } from './input-buffer.ts'

/** Scans a text that arrives in chunks, and returns the text that the scan passed on. */
function scan(pieces: readonly string[], maxLook: number, look: boolean) {
  const input = new InputBuffer(undefined)
  let content = ''
  const use: JsonUse = look ? 'look' : { text: (piece) => (content += piece) }
  const step = new JsonScan({ use, maxDepth: 16, maxLook }, 0)
  const isDone =
    pieces.some((piece) => {
      input.push(piece)
      return step.advance(input)
    }) || (input.finish(), step.advance(input))
  const { outcome, position } = step
  return { isDone, outcome, position, content }
}

const json = fc
  .oneof(
    fc.jsonValue({ maxDepth: 3 }),
    fc.dictionary(nastyText, nastyText, { maxKeys: 3 }),
    fc.array(nastyText, { maxLength: 3 }),
  )
  .filter((value) => typeof value === 'object' && value !== null)
  .map((value) => JSON.stringify(value))

test('[SEG-17] a value ends by its structure, for every split and any text after it', () => {
  fc.assert(
    fc.property(json, nastyText, cutList, (value, rest, cuts) => {
      for (const pieces of feedings(value + rest, cuts)) {
        const { outcome, position, content } = scan(pieces, Infinity, false)
        expect([outcome, position, content]).toEqual(['complete', value.length, value])
      }
    }),
    { numRuns: runs(300, 30_000) },
  )
})

test('[SEG-17] a value that the stream cuts is incomplete, and all of it has been passed on', () => {
  fc.assert(
    fc.property(json, fc.nat(), cutList, (value, stop, cuts) => {
      const part = value.slice(0, stop % value.length)
      for (const pieces of feedings(part, cuts)) {
        const { outcome, content } = scan(pieces, Infinity, false)
        expect([outcome, content]).toEqual(['cut', part])
      }
    }),
    { numRuns: runs(300, 30_000) },
  )
})

test('[SEG-40] a value that is read ahead breaks at its limit, for every split', () => {
  fc.assert(
    fc.property(json, fc.integer({ min: -2, max: 2 }), cutList, (value, margin, cuts) => {
      const maxLook = Math.max(1, value.length + margin)
      const wanted = value.length <= maxLook ? 'complete' : 'broken'
      for (const pieces of feedings(`${value}  `, cuts))
        expect(scan(pieces, maxLook, true).outcome).toBe(wanted)
    }),
    { numRuns: runs(300, 30_000) },
  )
})
