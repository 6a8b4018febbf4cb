import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cutList, feedings } from '../../../../test/support/cut-text.ts'
import { runs } from '../../../../test/support/runs.ts'
import { NewlineTrimmer } from '../bodies/raw-body.ts'

const value = fc
  .array(fc.constantFrom('\n', '\r', '\r\n', 'a', ' '), { maxLength: 6 })
  .map((pieces) => pieces.join(''))

function trim(pieces: readonly string[], isWhole: boolean): string {
  let trimmed = ''
  const trimmer = new NewlineTrimmer({ text: (piece) => (trimmed += piece) })
  for (const piece of pieces) if (piece !== '') trimmer.text(piece)
  trimmer.finish(isWhole)
  return trimmed
}

test('[SEG-20] drops one line end on each side of a value, and none at the end of a value that was cut', () => {
  fc.assert(
    fc.property(value, cutList, fc.boolean(), (text, cuts, isWhole) => {
      const begun = text.replace(/^\r?\n/, '')
      const wanted = isWhole ? begun.replace(/\r?\n$/, '') : begun
      for (const pieces of feedings(text, cuts)) expect(trim(pieces, isWhole)).toBe(wanted)
    }),
    { numRuns: runs(500, 50_000) },
  )
})
