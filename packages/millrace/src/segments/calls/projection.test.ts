import { expect, test } from 'vitest'
import { projectionOf, toProjections } from './projection.ts'

test('[SEG-33] finds a tool by its name in any ASCII case, and in no other case conversion', () => {
  const projection = { segment: 'run_bash', content: 'command' } as const
  const projections = toProjections({ Make: projection })
  expect(projectionOf('mAKE', projections)).toBe(projection)
  // The Kelvin sign is a K to Unicode only.
  expect(projectionOf('ma\u212Ae', projections)).toBeUndefined()
  expect(projectionOf('toString', projections)).toBeUndefined()
})
