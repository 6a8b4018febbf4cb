import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeTimes, RunTimes } from './run-times.ts'

const anySteps = fc.array(
  fc.record({ ids: fc.integer({ min: 1, max: 9 }), ms: fc.integer({ min: -5, max: 500 }) }),
  { minLength: 1, maxLength: 400 },
)

test('what is kept is bounded, in order, and among what was noted, whatever the pace and wherever it is stored', () => {
  fc.assert(
    fc.property(anySteps, fc.integer({ min: 2, max: 40 }), fc.nat(400), (steps, maxPairs, stop) => {
      let times = new RunTimes([], { maxPairs })
      let [id, at] = [0, 1_700_000_000_000]
      const noted: string[] = []
      steps.forEach(({ ids, ms }, index) => {
        if (index === stop) times = new RunTimes(times.encode(), { maxPairs })
        id += ids
        at += ms
        times.note(id, at)
        noted.push(`${id} ${at}`)
      })
      const pairs = decodeTimes(times.encode())
      expect(pairs.length).toBeLessThanOrEqual(maxPairs)
      expect(noted[0]).toBe(pairs[0]?.join(' '))
      for (const pair of pairs) expect(noted).toContain(pair.join(' '))
      for (const [index, [later, moment]] of pairs.entries()) {
        const [earlier, before] = pairs[index - 1] ?? [0, 0]
        expect(later).toBeGreaterThan(earlier)
        expect(moment).toBeGreaterThan(before)
      }
    }),
  )
})
