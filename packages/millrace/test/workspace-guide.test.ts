import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { createWorkspaceTools } from '../src/workspace/create-workspace-tools.ts'
import { defaultLimits } from '../src/workspace/limits.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const folder = mkdtempSync(join(root, 'packages/millrace/.guide-'))
const guide = readFileSync(join(root, 'docs/workspace.md'), 'utf8')

afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('the guide writes a file after an approval', async () => {
  const [, code = ''] = /^```ts run\n(.*?)^```$/ms.exec(guide) ?? []
  const file = join(folder, 'approval.ts')
  writeFileSync(file, code.replace('tmpdir()', JSON.stringify(folder)))
  const { paused, done, written } = await import(file)
  expect(paused.stopReason).toBe('awaiting_approval')
  expect(done.finalAnswer).toBe('Noted.')
  expect(written).toBe('# Rye\n')
})

test('the guide lists every limit with its default', () => {
  const [, table = ''] = /^## Limits\n(.*?)^## /ms.exec(guide) ?? []
  const rows = [...table.matchAll(/^\| `(\w+)`\s*\| ([\d,]+)\s*\|/gm)]
  const limits = rows.map(([, name, value = '']) => [name, Number(value.replaceAll(',', ''))])
  expect(Object.fromEntries(limits)).toEqual(defaultLimits)
})

test('the guide lists every tool with its arguments and whether it needs approval', async () => {
  const [table = ''] = /^\| tool .*?\n\n/ms.exec(guide) ?? []
  const rows = [...table.matchAll(/^\| `(\w+)`\s*\| (.*?) +\|.*\| (yes|no) +\|$/gm)]
  const described = rows.map(([, name, list = '', approval]) => ({
    name,
    parameters: list.replaceAll('`', '').split(', '),
    approval,
  }))
  const tools = createWorkspaceTools({ root: tmpdir() }).map(async (tool) => {
    const { name, inputSchema } = tool.schema
    const parameters = Object.keys(inputSchema['properties'] as object)
    const input = Object.fromEntries(parameters.slice(0, 2).map((key) => [key, 'x']))
    const needs = await tool.needsApproval({ ...input, offset: 1, depth: 1 })
    return { name, parameters, approval: needs ? 'yes' : 'no' }
  })
  const known = await Promise.all(tools)
  expect(described).toHaveLength(8)
  expect(described).toEqual(expect.arrayContaining(known))
})
