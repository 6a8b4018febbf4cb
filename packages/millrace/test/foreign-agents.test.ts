import { readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { aiSdk6, aiSdk7 } from './support/foreign/ai-sdk-kit.ts'
import { agUi } from './support/foreign/ag-ui-kit.ts'
import { checks } from './support/foreign/check-ability.ts'
import { createSqliteStore } from '../src/stores/sqlite/index.ts'
import { dieAt, said } from './support/foreign/foreign-server.ts'
import { events } from './support/foreign/events-kit.ts'
import { abilities, type Ability, type Kit } from './support/foreign/kit.ts'
import { langGraph } from './support/foreign/lang-graph-kit.ts'
import { openAiAgents } from './support/foreign/openai-agents-kit.ts'

const kits = [events, aiSdk6, aiSdk7, openAiAgents, langGraph, agUi]
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
    const agents = { dying: kit.open(true), next: kit.open(false) }
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

const page = new URL('../../../docs/agents-from-elsewhere.md', import.meta.url)
const START = '<!-- abilities -->'
const END = '<!-- /abilities -->'

/** Returns a Markdown table in the form of the formatter. */
function toTable(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]?.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0))) ?? []
  const lines = rows.map(
    (row) => `| ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`,
  )
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`
  return [lines[0], rule, ...lines.slice(1)].join('\n')
}

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
  const table = toTable([['ability', ...kits.map(({ title }) => title)], ...rows])
  const text = readFileSync(page, 'utf8')
  const [start, end] = [text.indexOf(START), text.indexOf(END)]
  expect([start, end]).not.toContain(-1)
  const wanted = `${text.slice(0, start)}${START}\n\n${table}\n\n${text.slice(end)}`
  if (process.env['UPDATE_GUIDES'] === '1') writeFileSync(page, wanted)
  expect(readFileSync(page, 'utf8')).toBe(wanted)
})
