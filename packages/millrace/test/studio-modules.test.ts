import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { checkStudioModules } from './support/repository/studio-modules.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))

function listFiles(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
}

test('Studio obeys its table in ARCHITECTURE.md', () => {
  const paths = listFiles('apps/studio/src')
  const files = new Map(paths.map((path) => [path, readFileSync(join(root, path), 'utf8')]))
  const document = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8')
  expect(checkStudioModules({ document, files })).toEqual([])
})

const document = `
| module      | may import    |
| ----------- | ------------- |
| \`ui\`        | –             |
| \`ui/text\`   | ui            |
| \`chat\`      | ui, ui/text   |
`

const sound: Readonly<Record<string, string>> = {
  'main.tsx': `import { Chat } from './chat/index.ts'\nimport './styles/base.css'\nexport const page = Chat`,
  'ui/index.ts': `export { icon } from './icon.ts'`,
  'ui/icon.ts': `export const icon = 1`,
  'ui/text/index.ts': `export { text } from './text.ts'`,
  'ui/text/text.ts': `import { icon } from '../index.ts'\nexport const text = icon`,
  'chat/index.ts': `export { Chat } from './chat.tsx'`,
  'chat/chat.tsx': `import { text } from '../ui/text/index.ts'\nimport './chat.css'\nexport const Chat = text`,
  'chat/chat.test.ts': `import { icon } from '../ui/icon.ts'\nexport const used = icon`,
}

function problems(planted: Readonly<Record<string, string>>, rules = document): string {
  const files = Object.entries({ ...sound, ...planted }).map(
    ([path, text]) => [`apps/studio/src/${path}`, text] as const,
  )
  return checkStudioModules({ document: rules, files: new Map(files) }).join('\n')
}

describe('the check itself', () => {
  test('finds nothing in a sound tree', () => {
    expect(problems({})).toBe('')
  })

  test.each([
    [
      'an import that is not in the table',
      'ui/a.ts',
      `import { text } from './text/index.ts'`,
      'ui may not import ui/text',
    ],
    [
      'an import of a type',
      'ui/a.ts',
      `import type { Chat } from '../chat/index.ts'`,
      'ui may not import chat',
    ],
    [
      'a dynamic import',
      'ui/a.ts',
      `export const a = import('../chat/index.ts')`,
      'ui may not import chat',
    ],
    [
      'a module that is entered past its index.ts',
      'chat/a.ts',
      `import { icon } from '../ui/icon.ts'`,
      'enters ui past its index.ts',
    ],
    [
      'an entry that does not use a door',
      'main.tsx',
      `import { Chat } from './chat/chat.tsx'`,
      'enters chat past its index.ts',
    ],
    ['a hidden export', 'ui/a.ts', `export * from './icon.ts'`, 'hides its exports'],
    ['a folder without a row', 'lab/index.ts', `export const a = 1`, 'lab has no row'],
  ])('finds %s', (_, path, text, expected) => {
    expect(problems({ [path]: text })).toContain(expected)
  })

  test('finds modules that import each other', () => {
    const rules = document.replace('| –             |', '| chat |')
    expect(problems({}, rules)).toContain('the modules form a cycle: ui → chat → ui')
  })

  test('finds a row without a folder, and a row that allows an unknown module', () => {
    const rules = document.replace('| `chat`', '| `ghost` | spirit |\n| `chat`')
    expect(problems({}, rules)).toContain('the row ghost has no folder')
    expect(problems({}, rules)).toContain('allows spirit, which has no row')
  })

  test('finds a folder with too many files of any kind', () => {
    const sheets = Array.from({ length: 19 }, (_, index) => [`ui/sheet-${index}.css`, ''])
    expect(problems(Object.fromEntries(sheets))).toContain('ui has 21 files, more than 20')
  })
})
