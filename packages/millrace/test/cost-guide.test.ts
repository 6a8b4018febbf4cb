import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { type LongContext, type Price, prices, PRICES_OF } from '../src/models/pricing/prices.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const folder = mkdtempSync(join(root, 'packages/millrace/.guide-'))
const guide = readFileSync(join(root, 'docs/cost.md'), 'utf8')
const codes = [...guide.matchAll(/^```ts run\n(.*?)^```$/gms)].map(([, code = '']) => code)

afterAll(() => rmSync(folder, { recursive: true, force: true }))

function run(name: string, code = '') {
  const file = join(folder, name)
  writeFileSync(file, code)
  return import(file)
}

test('the guide adds up requests and shows unknown costs as null', async () => {
  const { total, shown, unknown } = await run('total.ts', codes[0])
  expect(total.total).toBeCloseTo(0.006 + 0.013 + 0.005 + 0.01, 12)
  expect(shown).toMatchObject({ total_cost: 0.034, model_id: 'claude-sonnet-5-5' })
  expect(unknown).toBeNull()
})

test('the guide adds prices that are missing in the table', async () => {
  const { free, regional } = await run('own.ts', codes[1])
  expect(free.total).toBe(0)
  expect(regional).toMatchObject({ total: 4.4, modelId: 'eu.anthropic.claude-opus-5-5' })
})

test('the guide shows the current table, with its date', () => {
  const shown = [...guide.matchAll(/^\| `.*$/gm)].map(([row]) =>
    row.split('|').map((cell) => cell.trim()),
  )
  const rows = Object.entries<Price>(prices).map(([name, price]) => [
    '',
    `\`${name}\``,
    ...[price.input, price.output, price.cacheWrite, price.cacheWrite1h, price.cacheRead].map(
      (figure) => String(figure ?? '–'),
    ),
    price.longContext === undefined ? '–' : describeLong(price.longContext),
    '',
  ])
  expect(shown).toEqual(rows)
  expect(guide).toContain(PRICES_OF)
})

function describeLong({ aboveTokens, input, output }: LongContext): string {
  return `above ${aboveTokens.toLocaleString('en-US')}: ×${input}, output ×${output}`
}
