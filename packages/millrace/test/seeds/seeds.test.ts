import { readFileSync, writeFileSync } from 'node:fs'
import { afterAll, describe, expect, test } from 'vitest'
import { allCases } from './all-cases.ts'
import { END, renderStatements, START } from './support/render-statements.ts'
import type { SeedCase } from './support/seed-case.ts'
import { closeSeedServer } from './support/seed-server.ts'

const page = new URL('../../../../docs/seed-compatibility.md', import.meta.url)
const outcomes = new Map<SeedCase, Promise<unknown>>()

/** Runs the check of a case once, and returns its error. */
function outcomeOf(one: SeedCase): Promise<unknown> {
  const outcome =
    outcomes.get(one) ??
    Promise.resolve()
      .then(one.check)
      .then(
        () => undefined,
        (error: unknown) => error,
      )
  outcomes.set(one, outcome)
  return outcome
}

afterAll(closeSeedServer)

describe.each(['000', '001', '003', '004'] as const)('seed %s', (seed) => {
  const cases = allCases.filter((one) => one.seed === seed)
  test.each(cases)('$id $verdict: $statement', async (one) => {
    const error = await outcomeOf(one)
    if (error !== undefined) throw error
  })
})

test('a statement has a reason exactly if Millrace differs, and none is listed twice', () => {
  const wrong = allCases.filter(
    ({ verdict, reason }) => (verdict === 'differs') !== (reason !== undefined),
  )
  expect(wrong).toEqual([])
  const keys = allCases.map(({ seed, section, statement }) => `${seed} ${section}: ${statement}`)
  expect(keys.filter((key, index) => keys.indexOf(key) !== index)).toEqual([])
})

test('docs/seed-compatibility.md has the verdict of each check (npm test -- --update rewrites it)', async () => {
  const checked = await Promise.all(
    allCases.map(async (one) => ({ ...one, passes: (await outcomeOf(one)) === undefined })),
  )
  const text = readFileSync(page, 'utf8')
  const [start, end] = [text.indexOf(START), text.indexOf(END)]
  expect([start, end]).not.toContain(-1)
  const wanted = `${text.slice(0, start)}${renderStatements(checked)}${text.slice(end + END.length)}`
  if (process.env['UPDATE_SEEDS'] === '1') writeFileSync(page, wanted)
  expect(readFileSync(page, 'utf8') === wanted).toBe(true)
})
