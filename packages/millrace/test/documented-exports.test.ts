import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const folders = ['packages/millrace/src', 'packages/tools/src']
const exported = /^export (?:abstract )?(?:const|(?:async )?function\*?|class|interface|type) (\w+)/

/** Returns the exported names of a file without a doc comment. The first overload of a function has that of all. */
function undocumentedIn(text: string): readonly string[] {
  const lines = text.split('\n')
  const found = new Map<string, boolean>()
  for (const [index, line] of lines.entries()) {
    const name = exported.exec(line)?.[1]
    if (name === undefined || found.has(name)) continue
    found.set(name, lines[index - 1]?.trimEnd().endsWith('*/') === true)
  }
  return [...found].filter(([, isDocumented]) => !isDocumented).map(([name]) => name)
}

test('every exported declaration of the packages has a doc comment', () => {
  const files = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
      .map((file) => join(folder, file)),
  )
  expect(files.length).toBeGreaterThan(700)
  const missing = files.flatMap((file) =>
    undocumentedIn(readFileSync(join(root, file), 'utf8')).map((name) => `${file}: ${name}`),
  )
  expect(missing).toEqual([])
})

test('declarations of all forms are found', () => {
  const text = [
    'export const a = 1',
    '/** B. */',
    'export function b(one: string): void',
    'export function b(): void {}',
    'export async function c() {}',
    '  export const d = 1',
    'export { e }',
    'export type F = 1',
  ]
  expect(undocumentedIn(text.join('\n'))).toEqual(['a', 'c', 'F'])
})
