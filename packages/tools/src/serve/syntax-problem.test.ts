import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findSyntaxProblem } from './load-agents.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-syntax-'))
  // Node's own loader: an `import` in this file uses that of the tests, which has other errors.
  await write('import-by-node.cjs', 'module.exports = (url) => import(url)')
})
afterAll(() => rm(folder, { recursive: true, force: true }))

async function write(name: string, text: string): Promise<string> {
  const file = join(folder, name)
  await writeFile(file, text)
  return file
}

async function findIn(name: string, text: string) {
  const file = await write(name, text)
  const importByNode: (url: string) => Promise<unknown> = createRequire(import.meta.url)(
    join(folder, 'import-by-node.cjs'),
  )
  const error: unknown = await importByNode(pathToFileURL(file).href).catch((cause) => cause)
  if (!(error instanceof SyntaxError)) throw new Error('The module should not load.')
  return findSyntaxProblem(file, error)
}

describe('a module that cannot be parsed', () => {
  test('is shown with the file and the line', async () => {
    expect(await findIn('broken.mjs', 'const a = 1\nconst b = { x: 1,, }\n')).toMatch(
      /broken\.mjs:2\nconst b = .*\n *\^\nSyntaxError: Unexpected token ','$/,
    )
  })

  test('because of its imports is reported as such', async () => {
    await write('part.mjs', 'const = 1\n')
    expect(await findIn('whole.mjs', `import './part.mjs'\n`)).toMatch(
      /^A module that .*whole\.mjs imports cannot be read: Unexpected token/,
    )
  })

  test('because it imports an unknown name is shown with the line', async () => {
    await write('names.mjs', 'export const a = 1\n')
    expect(await findIn('wrong.mjs', `\nimport { b } from './names.mjs'\nb()\n`)).toMatch(
      /wrong\.mjs:2\n[^]*does not provide an export named 'b'$/,
    )
  })

  test('is distinguished from one that fails at runtime, which keeps its own error', async () => {
    expect(await findIn('parses.mjs', `JSON.parse('{')\n`)).toBeUndefined()
  })
})
