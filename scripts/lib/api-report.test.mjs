import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { checkApiReport, checkReference, createApiReport, createReference } from './api-report.mjs'

const folders = []
afterEach(() => folders.splice(0).forEach((folder) => rmSync(folder, { recursive: true })))

/** Writes a library with two subpaths, whose declarations can be replaced. */
function plant(files = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-api-'))
  folders.push(folder)
  mkdirSync(join(folder, 'dist'))
  const all = {
    'package.json':
      '{"name":"millrace","exports":{".":{"types":"./dist/index.d.ts"},"./b":{"types":"./dist/b.d.ts"},"./package.json":"./package.json"}}',
    'dist/index.d.ts': `export { open } from './open.ts'\nexport * from './b.js'`,
    'dist/open.d.ts': `import type { Options } from './options.ts'\n/** Opens. */\nexport declare function open(options: Options): string`,
    'dist/options.d.ts': `export interface Options {\n  /** How many. */\n  readonly count: number\n}\nexport type Unused = 1`,
    'dist/b.d.ts': `type Inner = string\nexport type B = Inner | undefined`,
    ...files,
  }
  for (const [name, text] of Object.entries(all)) writeFileSync(join(folder, name), text)
  return folder
}

test('lists names by subpath and every declaration that they lead to, without comments', () => {
  expect(createApiReport(plant())).toBe(`# millrace

B
open

# millrace/b

B

# Declarations

type B = Inner | undefined

type Inner = string

interface Options {
  readonly count: number
}

declare function open(options: Options): string
`)
})

test.each([
  ['a signature', { 'dist/open.d.ts': 'export declare function open(): string' }],
  ['an internal type that a signature names', { 'dist/options.d.ts': 'export type Options = 1' }],
  ['a name', { 'dist/b.d.ts': 'export type C = string' }],
])('fails when %s changes', (_what, files) => {
  const folder = plant()
  writeFileSync(join(folder, 'api-report.txt'), createApiReport(folder))
  expect(checkApiReport(folder).ok).toBe(true)
  const changed = plant({ ...files, 'api-report.txt': createApiReport(folder) })
  const { ok, output } = checkApiReport(changed)
  expect(ok).toBe(false)
  expect(output).toMatch(/^[-+] /)
  expect(output).toContain('--update')
})

test('lists the documentation of every name, and notices an outdated page', () => {
  const folder = plant()
  const page = join(folder, 'reference.md')
  expect(createReference([folder])).toContain(
    '## millrace\n\n- `B`: \n- `open`: Opens.\n\n## millrace/b\n\n- `B`: \n',
  )
  expect(checkReference([folder], page).ok).toBe(false)
  writeFileSync(page, createReference([folder]))
  expect(checkReference([folder], page).ok).toBe(true)
})
