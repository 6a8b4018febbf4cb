import fc from 'fast-check'
import { expect, test } from 'vitest'
import { MAX_ATTEMPTS, retryDelay } from './post-event.ts'

const HOUR = 3_600_000

/** Ages of the attempts for an endpoint that is down, with attempts of this duration. */
function attemptsOf(retryMs: number, random: () => number, attemptMs: () => number): number[] {
  const ages: number[] = []
  for (let age: number | undefined = 0; age !== undefined;) {
    ages.push(age)
    const failedAt: number = age + attemptMs()
    const delay = retryDelay(failedAt, retryMs, random)
    age = delay === undefined ? undefined : failedAt + delay
  }
  return ages
}

test('[HOOK-3] attempts come after 0 s, 5 s, 30 s, 2.6 min, 13 min, 65 min, 5.4 h and 27 h', () => {
  const ages = attemptsOf(
    5_000,
    () => 0.5,
    () => 0,
  )
  const seconds = [0, 5, 30, 155, 780, 3_905, 19_530, 97_655]
  expect(ages.map((age) => Math.round(age / 1_000))).toEqual(seconds)
})

test('makes at most 8 attempts with growing delays over about a day', () => {
  const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
  const chances = fc.array(chance, { minLength: 32, maxLength: 32 })
  fc.assert(
    fc.property(chances, fc.array(fc.nat(15_000), { minLength: 8, maxLength: 8 }), (r, slow) => {
      let at = 0
      let attempt = 0
      const ages = attemptsOf(
        5_000,
        () => r[at++ % r.length] ?? 0,
        () => slow[attempt++] ?? 0,
      )
      expect(ages.length).toBeLessThanOrEqual(MAX_ATTEMPTS)
      expect(ages.length).toBeGreaterThanOrEqual(MAX_ATTEMPTS - 2)
      expect(ages).toEqual(ages.toSorted((a, b) => a - b))
      expect(ages.at(-1)).toBeGreaterThan(20 * HOUR)
      expect(ages.at(-1)).toBeLessThan(34 * HOUR)
    }),
  )
})

test('a restart does not add attempts: an old event has its last attempt, and none after that', () => {
  expect(retryDelay(24 * HOUR, 5_000, () => 0.5)).toBeUndefined()
  expect(retryDelay(19_600_000, 5_000, () => 0.5)).toBeGreaterThan(20 * HOUR)
})
