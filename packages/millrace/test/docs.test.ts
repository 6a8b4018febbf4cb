import { execFile } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../../', import.meta.url))
// Inside the package, so that the examples resolve the types of its dependencies.
const folder = join(root, 'packages/millrace/.examples')
const documents = ['README.md', ...listMarkdown('docs')]

function listMarkdown(name: string): string[] {
  return readdirSync(join(root, name))
    .filter((file) => file.endsWith('.md'))
    .map((file) => join(name, file))
}

/** The TypeScript examples of a document, each as a separate module. */
function examplesOf(document: string): { name: string; code: string }[] {
  const text = readFileSync(join(root, document), 'utf8')
  const fences = [...text.matchAll(/^```(tsx?)(?: run)?\n(.*?)^```$/gms)]
  return fences.map(([, language, code = ''], index) => ({
    name: `${document.replace(/\W+/g, '-')}-${index + 1}.${language}`,
    code: `${code}\nexport {}\n`,
  }))
}

afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('every TypeScript example of the documents compiles against the library', async () => {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder)
  const examples = documents.flatMap(examplesOf)
  expect(examples.length).toBeGreaterThan(4)
  for (const { name, code } of examples) writeFileSync(join(folder, name), code)
  const config = {
    extends: '../../../tsconfig.sources.json',
    compilerOptions: {
      noUnusedLocals: false,
      types: ['node', 'react'],
    },
    files: examples.map(({ name }) => name),
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  const { stdout } = await promisify(execFile)(process.execPath, [tsc, '-p', folder]).catch(
    (error: { stdout: string }) => error,
  )
  expect(stdout).toBe('')
}, 120_000)

test('every relative link of the documents has a target', () => {
  const broken = [
    'README.md',
    'ARCHITECTURE.md',
    'CONTRIBUTING.md',
    'spec/PROTOCOL.md',
    ...documents,
  ].flatMap((document) => {
    const text = readFileSync(join(root, document), 'utf8').replace(/^```.*?^```$/gms, '')
    return [...text.matchAll(/\]\(([^)#:\s]+)(?:#[^)]*)?\)/g)]
      .map(([, target = '']) => join(root, document, '..', target))
      .filter((path) => !exists(path))
      .map((path) => `${document}: ${relative(root, path)}`)
  })
  expect(broken).toEqual([])
})

test('every file that ARCHITECTURE.md names exists', () => {
  const text = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8')
  const files = [...text.matchAll(/`((?:[\w-]+\/)+[\w.-]+\.tsx?)`/g)].map(([, file = '']) => file)
  expect(files.length).toBeGreaterThan(20)
  const sources = join(root, 'packages/millrace/src')
  const missing = files.filter((file) => !exists(join(sources, file)) && !exists(join(root, file)))
  expect(missing).toEqual([])
})

function exists(path: string): boolean {
  try {
    readFileSync(path)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EISDIR'
  }
}
