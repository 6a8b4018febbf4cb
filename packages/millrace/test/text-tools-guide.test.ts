import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const folder = mkdtempSync(join(root, 'packages/millrace/.guide-'))

afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('the guide gives tools to a model without native tool calls', async () => {
  const guide = readFileSync(join(root, 'docs/text-tools.md'), 'utf8')
  const [, code = ''] = /^```ts run\n(.*?)^```$/ms.exec(guide) ?? []
  const file = join(folder, 'guide.ts')
  writeFileSync(file, code)
  const { results, answer } = await import(file)
  expect(results).toEqual(['5'])
  expect(answer).toBe('It is 5.')
})
