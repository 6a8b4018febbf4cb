import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeTimes, RunTimes, type TimePair } from './run-times.ts'

const anySteps = fc.array(
  fc.record({ ids: fc.integer({ min: 1, max: 9 }), ms: fc.integer({ min: -5, max: 500 }) }),
  { minLength: 1, maxLength: 400 },
)

test('stored times are an ordered subset of the noted ones, for any pace and place of storage', () => {
  fc.assert(
    fc.property(anySteps, fc.integer({ min: 1, max: 40 }), (steps, every) => {
      const times = new RunTimes()
      let [id, at] = [0, 1_700_000_000_000]
      const noted: string[] = []
      const pairs: TimePair[] = []
      steps.forEach(({ ids, ms }, index) => {
        id += ids
        at += ms
        times.note(id, at)
        noted.push(`${id} ${at}`)
        if (index % every === 0) pairs.push(...decodeTimes(times.take()))
      })
      pairs.push(...decodeTimes(times.take()))
      expect(decodeTimes(times.take())).toEqual([])
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

test('a run of days has few more pairs than one of minutes', () => {
  const times = new RunTimes()
  const day = 86_400_000
  for (let at = 0; at < 3 * day; at += 100) times.note(1 + at / 100, at)
  expect(times.take().length / 2).toBeLessThan(12_000)
})
