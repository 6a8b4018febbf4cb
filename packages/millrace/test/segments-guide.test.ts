import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const folder = mkdtempSync(join(root, 'packages/millrace/.guide-'))

const guide = readFileSync(join(root, 'docs/segments.md'), 'utf8')
const codes = [...guide.matchAll(/^```ts run\n(.*?)^```$/gms)].map(([, code = '']) => code)

afterAll(() => rmSync(folder, { recursive: true, force: true }))

function run(name: string, code: string) {
  const file = join(folder, name)
  writeFileSync(file, code.replaceAll('millrace/segments', '../src/segments/index.ts'))
  return import(file)
}

test('the guide adds a format in about twenty lines, and its code does what it says', async () => {
  const code = codes[0] ?? ''
  const definition = /^const chevrons.*?^\}\)$/ms.exec(code)?.[0] ?? ''
  expect(definition.split('\n').length).toBeLessThanOrEqual(20)
  const { invocations, events } = await run('guide.ts', code)
  expect(invocations).toEqual([
    { id: 'seg_2', name: 'search', arguments: { query: 'a <</arg>> in data' } },
  ])
  const text = events
    .filter((event: { segment_id: string }) => event.segment_id !== 'seg_2')
    .map((event: { payload: { delta?: string } }) => event.payload.delta ?? '')
  expect(text.join('')).toBe('Sure.  Done.')
})

test('the guide reads what no data can say with a body in code', async () => {
  const { invocations } = await run('custom.ts', codes[1] ?? '')
  expect(invocations).toEqual([
    { id: 'seg_2', name: 'run_bash', arguments: { command: 'cat <<END\nflour\nEND' } },
  ])
})
