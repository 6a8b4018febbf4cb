import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { checks } from './support/foreign/check-ability.ts'
import { createSqliteStore } from '../src/stores/sqlite/index.ts'
import { dieAt, said } from './support/foreign/foreign-server.ts'
import { checkTable } from './support/repository/check-table.ts'
import { abilities, type Ability, type Kit } from './support/foreign/kit.ts'
import { kits } from './support/foreign/kits.ts'

const names = Object.keys(abilities) as Ability[]
const outcomes = new Map<string, Promise<boolean>>()

/** Runs a check once; the first failure of one that must pass is thrown. */
function outcomeOf(kit: Kit, ability: Ability): Promise<boolean> {
  const key = `${kit.title} ${ability}`
  const outcome = outcomes.get(key) ?? run(kit, ability)
  outcomes.set(key, outcome)
  return outcome
}

async function run(kit: Kit, ability: Ability): Promise<boolean> {
  const check = checks[ability](kit)
  if (kit.notes[ability]?.lacks !== true) return check.then(() => true)
  return check.then(
    () => true,
    () => false,
  )
}

describe.each(kits)('$title', (kit) => {
  test.each(names)('%s', async (ability) => {
    expect(await outcomeOf(kit, ability)).toBe(kit.notes[ability]?.lacks !== true)
  })
})

test.each(kits)('$title: a run continues from a file of SQLite', async (kit) => {
  const folder = await mkdtemp(join(tmpdir(), 'foreign-'))
  const shared = createSqliteStore({ path: join(folder, 'runs.db') })
  try {
    const agents = { dying: kit.open('slow'), next: kit.open('instant') }
    const prompt = 'a long answer'
    const { server } = await dieAt('turn', { ...agents, prompt, shared })
    expect(await server.view()).toMatchObject({ status: 'ended', stop_reason: 'end_turn' })
    expect(said(await server.ask('recall please'))).toContain('I have spoken 1 times.')
    await server.handler.close()
  } finally {
    await shared.close?.()
    await rm(folder, { recursive: true })
  }
})

function toCell({ notes }: Kit, ability: Ability, passes: boolean): string {
  const text = notes[ability]?.text
  return `${passes ? 'yes' : 'no'}${text === undefined ? '' : `: ${text}`}`
}

test('the guide has the result of each check (npm test -- --update rewrites it)', async () => {
  const rows = await Promise.all(
    names.map(async (ability) => {
      const cells = kits.map(async (kit) => toCell(kit, ability, await outcomeOf(kit, ability)))
      return [abilities[ability], ...(await Promise.all(cells))]
    }),
  )
  checkTable('agents-from-elsewhere.md', 'abilities', [
    ['ability', ...kits.map(({ title }) => title)],
    ...rows,
  ])
})
