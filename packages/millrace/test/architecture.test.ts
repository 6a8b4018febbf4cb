import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import {
  checkArchitecture,
  checkFolderSizes,
  findCycle,
} from './support/repository/architecture.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))

function read(path: string): string {
  return readFileSync(join(root, path), 'utf8')
}

function sourcesUnder(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    .filter((path) => !/\/(node_modules|dist)\//.test(path))
}

// Parses all sources, which takes half a minute on a busy machine.
test('the repository obeys the tables of ARCHITECTURE.md', { timeout: 180_000 }, () => {
  const folders = ['packages/', 'apps/', 'bench/', 'faults/', 'soak/', 'examples/']
  const files = new Map(folders.flatMap(sourcesUnder).map((path) => [path, read(path)]))
  const { exports: packageExports } = JSON.parse(read('packages/millrace/package.json'))
  expect(checkArchitecture({ document: read('ARCHITECTURE.md'), files, packageExports })).toEqual(
    [],
  )
})

/** Folders that paths in documents begin with. */
const pathRoots = ['', 'packages/millrace/', 'packages/millrace/src/', 'apps/studio/src/']

/** Names with the form of a path: packages, subpaths, files that every module has, and files that a build or a test writes. */
const notPaths = /^(?:@|millrace\/|index\.ts$|packages\/tools\/studio$|test-results\/)/

/** Returns the paths in backticks that lead nowhere. A bare name is in the folder of the path before it in its line. */
function lostPaths(document: string): string[] {
  return document.split('\n').flatMap((line) => {
    let folder = ''
    const paths = [...line.matchAll(/`([\w@./-]+)`/g)].map(([, path = '']) => path)
    return paths
      .filter((path) => /\/|\.(?:tsx?|md|json|jsonl|txt)$/.test(path) && !notPaths.test(path))
      .filter((path) => {
        const found = [...pathRoots, folder].find((base) => existsSync(join(root, base, path)))
        if (found !== undefined) folder = join(found, path, path.endsWith('/') ? '.' : '..')
        return found === undefined
      })
  })
}

test('every path in ARCHITECTURE.md and CONTRIBUTING.md exists', () => {
  expect(lostPaths(read('ARCHITECTURE.md'))).toEqual([])
  expect(lostPaths(read('CONTRIBUTING.md'))).toEqual([])
  const line = '`agent/loop/`, `run-loop.ts`, `calls/offer.ts`, `spec/PROTOCOL.md`, `millrace/*`'
  expect(lostPaths(`${line}\n\`run-loop.ts\``)).toEqual(['calls/offer.ts', 'run-loop.ts'])
})

test('every folder of the server and of the agent has its purpose in ARCHITECTURE.md', () => {
  const document = read('ARCHITECTURE.md')
  const rows = [...document.matchAll(/^\| `((?:server|agent)\/[\w-]+\/)` +\|/gm)].map(
    ([, row]) => row,
  )
  const folders = ['server', 'agent'].flatMap((folder) =>
    readdirSync(join(root, 'packages/millrace/src', folder), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => `${folder}/${name}/`),
  )
  expect(new Set(rows)).toEqual(new Set(folders))
})

/** Folders that may exceed the bound, with their number of files. */
const largeFolders = {
  // A file for each subpath.
  public: 27,
}

test('a folder of src has at most 20 source files', () => {
  expect(checkFolderSizes(sourcesUnder('packages/millrace/src/'), largeFolders)).toEqual([])
  expect(checkFolderSizes(sourcesUnder('packages/tools/src/'), {})).toEqual([])
})

const document = `
| folder     | may import    |
| ---------- | ------------- |
| \`errors\`   | –             |
| \`text\`     | errors        |
| \`wire\`     | text, errors  |
| \`wire/gzip\` | wire         |
| \`node\`     | wire          |
| \`cli\`      | anything      |
| \`public\`   | anything      |

| package | only in   |
| ------- | --------- |
| \`node:\` | node, cli |
| \`hono\`  | node      |
`

const sound: Readonly<Record<string, string>> = {
  'src/errors/index.ts': `export class Fault extends Error {}`,
  'src/text/index.ts': `import { Fault } from '../errors/index.ts'\nexport const text = Fault`,
  'src/wire/index.ts': `export { frame } from './frame.ts'`,
  'src/wire/frame.ts': `import { text } from '../text/index.ts'\nexport const frame = { process: text }.process`,
  'src/wire/gzip/index.ts': `export { frame as zip } from '../index.ts'`,
  'src/node/index.ts': `import { Hono } from 'hono'\nimport { frame } from '../wire/index.ts'\nexport const app = [Hono, frame, process]`,
  'src/cli/index.ts': `import { readFile } from 'node:fs/promises'\nimport { app } from '../node/index.ts'\nexport const run = [readFile, app]`,
  'src/public/index.ts': `export { frame } from '../wire/index.ts'`,
  'src/public/node.ts': `export { app } from '../node/index.ts'`,
}

function problems(
  planted: Readonly<Record<string, string>>,
  packageExports: Readonly<Record<string, string>> = {
    '.': './dist/index.js',
    './node': './dist/node/index.js',
  },
  rules = document,
): string {
  const files = Object.entries({ ...sound, ...planted }).map(([path, text]): [string, string] => [
    path.replace(/^(src|test)\//, 'packages/millrace/$1/'),
    text,
  ])
  return checkArchitecture({ document: rules, files: new Map(files), packageExports }).join('\n')
}

describe('the check itself', () => {
  test('finds nothing in a sound tree', () => {
    expect(problems({})).toBe('')
  })

  test.each([
    [
      'an edge that is not in the table',
      'src/text/a.ts',
      `import { frame } from '../wire/index.ts'`,
      'text may not import wire',
    ],
    [
      'a type-only edge',
      'src/text/a.ts',
      `import type { F } from '../wire/index.ts'`,
      'text may not import wire',
    ],
    [
      'an edge by re-export',
      'src/text/a.ts',
      `export { frame } from '../wire/index.ts'`,
      'text may not import wire',
    ],
    [
      'an edge by dynamic import',
      'src/text/a.ts',
      `export const a = import('../wire/index.ts')`,
      'text may not import wire',
    ],
    [
      'an edge by import type',
      'src/text/a.ts',
      `export type A = import('../wire/index.ts').F`,
      'text may not import wire',
    ],
    [
      'a folder entered past its door',
      'src/node/a.ts',
      `import { frame } from '../wire/frame.ts'`,
      'enters wire past its door',
    ],
    [
      'a sub-door passed by',
      'src/cli/a.ts',
      `import { z } from '../wire/gzip/z.ts'`,
      'enters wire/gzip past its door',
    ],
    [
      'a cycle of folders',
      'src/errors/a.ts',
      `import { text } from '../text/index.ts'`,
      'the folders form a cycle',
    ],
    [
      'Node modules',
      'src/wire/a.ts',
      `import { readFile } from 'node:fs'`,
      'wire may not import node:',
    ],
    [
      'Node modules without their prefix',
      'src/wire/a.ts',
      `import { readFile } from 'fs'`,
      'no row of the package table',
    ],
    ['the global Buffer', 'src/wire/a.ts', `export const a = Buffer.from('')`, 'uses Buffer'],
    ['the type Buffer', 'src/wire/a.ts', `export let a: Buffer`, 'uses Buffer'],
    ['the global process', 'src/wire/a.ts', `export const a = { ...process.env }`, 'uses process'],
    ['process in shorthand', 'src/wire/a.ts', `export const a = { process }`, 'uses process'],
    ['__dirname', 'src/wire/a.ts', `export const a = __dirname`, 'uses __dirname'],
    [
      'a package elsewhere than allowed',
      'src/wire/a.ts',
      `import { Hono } from 'hono/tiny'`,
      'wire may not import hono',
    ],
    [
      'a package that no row allows',
      'src/node/a.ts',
      `import x from '@scope/name/deep'`,
      'no row of the package table',
    ],
    [
      'the package itself by name',
      'src/node/a.ts',
      `import { frame } from 'millrace'`,
      'no row of the package table',
    ],
    ['a way out of src', 'src/cli/a.ts', `import x from '../../package.json'`, 'leaves src'],
    ['a hidden door', 'src/node/a.ts', `export * from './index.ts'`, 'hides its exports'],
    ['a folder without a row', 'src/other/index.ts', `export const a = 1`, 'src/other has no row'],
    [
      'public imported from inside',
      'src/node/a.ts',
      `import { frame } from '../public/index.ts'`,
      'which is for users only',
    ],
    ['a loose file', 'src/loose.ts', `export const a = 1`, 'src/loose.ts has no row'],
    [
      'a test that leaves the repository',
      'src/wire/a.test.ts',
      `import x from '../../../../../x.ts'`,
      'leaves the repository',
    ],
    [
      'an app that reaches into the library',
      'apps/studio/src/a.ts',
      `import x from '../../../packages/millrace/src/index.ts'`,
      'leaves apps/studio/',
    ],
    [
      'an example that enters the library past its exports',
      'examples/plain-js/a.ts',
      `import x from '../../packages/millrace/src/public/index.ts'`,
      'enters the library past its exports',
    ],
  ])('finds %s', (_, path, text, expected) => {
    expect(problems({ [path]: text })).toContain(expected)
  })

  test('allows public to export a name from the file that declares it', () => {
    const text = `export { frame } from '../wire/frame.ts'`
    expect(problems({ 'src/public/index.ts': text })).toBe('')
  })

  test('allows a test any import inside the repository', () => {
    const text = `import { frame } from '../wire/frame.ts'\nimport { readFile } from 'node:fs'\nimport v from '../../../../spec/v.ts'`
    expect(
      problems({
        'src/text/a.test.ts': text,
        'test/support/b.ts': text.replaceAll('../wire', '../../src/wire'),
      }),
    ).toBe('')
  })

  test('finds an export without a file in public, and a file without an export', () => {
    const packageExports = { '.': './dist/index.js', './wire': './dist/wire/index.js' }
    expect(problems({}, packageExports)).toContain('src/public/wire.ts is missing')
    expect(problems({}, packageExports)).toContain('src/public/node.ts is not in exports')
  })

  test('finds a row without a folder, and a row that allows an unknown one', () => {
    const rules = document.replace('| `text`', '| `ghost` | spirit |\n| `text`')
    expect(problems({}, undefined, rules)).toContain('the row ghost has no folder')
    expect(problems({}, undefined, rules)).toContain('allows spirit, which has no row')
  })

  test('finds folders with too many source files, tests and sub-folders apart', () => {
    const paths = (folder: string, count: number, suffix = '.ts'): string[] =>
      Array.from(
        { length: count },
        (_, index) => `packages/millrace/src/${folder}/${index}${suffix}`,
      )
    const sound = [...paths('wire', 20), ...paths('wire', 9, '.test.ts'), ...paths('wire/gzip', 3)]
    expect(checkFolderSizes(sound, {})).toEqual([])
    const large = [...sound, ...paths('text', 21)]
    expect(checkFolderSizes(large, {})).toEqual(['src/text has 21 files, at most 20 are allowed'])
    expect(checkFolderSizes(large, { text: 21 })).toEqual([])
    expect(checkFolderSizes(sound, { wire: 22 })).toEqual([
      'src/wire has at most 20 files: remove it from the list',
    ])
  })

  test('finds a cycle in the table', () => {
    expect(problems({}, undefined, document.replace('| –             |', '| wire |'))).toContain(
      'the table has a cycle',
    )
    expect(findCycle(new Map([['a', new Set(['a'])]]))).toEqual(['a', 'a'])
  })

  test('rejects a document without its tables', () => {
    expect(() => problems({}, undefined, 'nothing')).toThrow('has no table')
  })
})
