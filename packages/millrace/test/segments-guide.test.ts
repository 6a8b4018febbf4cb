import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const folder = mkdtempSync(join(root, 'packages/millrace/.guide-'))

afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('the guide adds a format in about twenty lines, and its code does what it says', async () => {
  const guide = readFileSync(join(root, 'docs/segments.md'), 'utf8')
  const code = /^```ts run\n(.*?)^```$/ms.exec(guide)?.[1] ?? ''
  const definition = /^const chevrons.*?^\}\)$/ms.exec(code)?.[0] ?? ''
  expect(definition.split('\n').length).toBeLessThanOrEqual(20)
  const file = join(folder, 'guide.ts')
  writeFileSync(file, code.replace('millrace/segments', '../src/segments/index.ts'))
  const { invocations, events } = await import(file)
  expect(invocations).toEqual([
    { id: 'seg_2', name: 'search', arguments: { query: 'a <</arg>> in data' } },
  ])
  const text = events
    .filter((event: { segment_id: string }) => event.segment_id !== 'seg_2')
    .map((event: { payload: { delta?: string } }) => event.payload.delta ?? '')
  expect(text.join('')).toBe('Sure.  Done.')
})
