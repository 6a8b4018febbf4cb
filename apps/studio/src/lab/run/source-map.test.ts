import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { examples } from '../settings/examples.ts'
import { toSettings } from '../settings/lab-address.ts'
import { runLab } from './lab-run.ts'
import type { LabRun } from './lab-run.ts'

const settings = examples.map(toSettings)

/** Truncated and concatenated texts, so that blocks end early and run into each other. */
const anySettings = fc
  .tuple(fc.constantFrom(...settings), fc.constantFrom(...settings), fc.nat(600), fc.nat(600))
  .map(([one, other, end, start]) => ({
    ...one,
    text: one.text.slice(0, end) + other.text.slice(start),
  }))

function contentOf({ text, sources }: LabRun, segment: number): string {
  const runs = sources.filter((run) => run.segment === segment)
  return runs.map(({ from, to }) => text.slice(from, to)).join('')
}

describe('the source map', () => {
  test('has every character in one run', () => {
    fc.assert(
      fc.property(anySettings, (chosen) => {
        const { text, sources } = runLab(chosen)
        let end = 0
        for (const { from, to } of sources) {
          expect(from).toBe(end)
          expect(to).toBeGreaterThan(from)
          end = to
        }
        expect(end).toBe(text.length)
      }),
    )
  })

  test('has the content of text and reasoning segments', () => {
    fc.assert(
      fc.property(anySettings, (chosen) => {
        const run = runLab(chosen)
        for (const [index, { type, content }] of run.segments.entries()) {
          if (type === 'text' || type === 'reasoning') expect(contentOf(run, index)).toBe(content)
        }
      }),
    )
  })

  test('has the type of the segment for content', () => {
    for (const chosen of settings) {
      const { sources, segments } = runLab(chosen)
      for (const { kind, segment } of sources) {
        expect(kind).toBe(segment < 0 ? 'markup' : segments[segment]?.type)
      }
    }
  })
})
