import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cutAt, cutList } from '../../../../test/support/cut-text.ts'
import { runs } from '../../../../test/support/runs.ts'
import { defaultProjections } from '../../calls/projection.ts'
import { defaultLimits } from '../../limits.ts'
import { SegmentEmitter } from '../../segment-emitter.ts'
import { findMarker, Reader, type Reading } from '../reader.ts'
import { MarkerSet, Marker } from './marker.ts'
import { SegmentOutput } from '../segment-output.ts'
import { type Step, InputBuffer } from './input-buffer.ts'

const stems = ['<end>', '<e', '\n', 'ab']
const set = new MarkerSet(stems.map((stem) => new Marker(stem)))

/** Resumes a reading with each chunk and then with the end of the stream. */
function finish<Result>(reading: Reading<Result>, input: InputBuffer, pieces: string[]): Result {
  let next = reading.next()
  const resume = (): void => {
    while (next.done !== true && (next.value satisfies Step).advance(input)) next = reading.next()
  }
  resume()
  while (next.done !== true) {
    const piece = pieces.shift()
    if (piece === undefined) input.finish()
    else if (piece !== '') input.push(piece)
    resume()
  }
  return next.value
}

/** Reference implementation: returns the first position of a marker before a limit, and the longest marker there. */
function findByHand(text: string, from: number, limit: number): [number, string] | undefined {
  for (let at = from; at < Math.min(limit, text.length); at++) {
    const found = stems.filter((stem) => text.startsWith(stem, at))
    const [longest] = found.toSorted((a, b) => b.length - a.length)
    if (longest !== undefined) return [at, longest]
  }
  return undefined
}

const text = fc
  .array(fc.constantFrom('<', 'e', 'end', '>', 'a', 'b', 'x', '  ', '\n'), { maxLength: 30 })
  .map((pieces) => pieces.join(''))
const search = fc.tuple(fc.nat(40), fc.integer({ min: 1, max: 30 }))

test('finds the same markers again from any position', () => {
  fc.assert(
    fc.property(text, cutList, fc.array(search, { maxLength: 6 }), (whole, cuts, searches) => {
      const input = new InputBuffer(undefined)
      const reader = new Reader({
        input,
        output: new SegmentOutput({
          emitter: new SegmentEmitter(String),
          limits: defaultLimits,
          projections: defaultProjections,
        }),
        limits: defaultLimits,
        projections: defaultProjections,
        tools: {},
        knownTools: undefined,
        onError: undefined,
        codeWatch: undefined,
        projectsJson: true,
      })
      const pieces = cutAt(whole, cuts)
      for (const [from, length] of searches.toSorted(([a], [b]) => a - b)) {
        if (from > whole.length) continue
        reader.position = from
        const marker = finish(findMarker(reader, set, from + length), input, pieces)
        const found = marker === undefined ? undefined : [reader.position, marker.stem]
        expect(found).toEqual(findByHand(whole, from, from + length))
      }
    }),
    { numRuns: runs(500, 50_000) },
  )
})
