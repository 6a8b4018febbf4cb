import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadAgents } from './load-agents.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-load-agents-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

async function load(name: string, text: string) {
  const file = join(folder, name)
  await writeFile(file, text)
  return loadAgents(file)
}

const agents = `{ pat: { name: 'pat', run() {} } }`

describe('a module with access options that have no effect where they are is rejected', () => {
  test.each([
    ['authorize', `export const agents = ${agents}; export const authorize = () => false`],
    ['limits', `export const agents = ${agents}; export const limits = {}`],
    ['owner', `export default { agents: ${agents}, owner: () => 'me' }`],
    ['token', `export default { agents: ${agents} }; export const token = 'secret'`],
  ])('%s', async (name, text) => {
    await expect(load(`${name}.mjs`, text)).rejects.toMatchObject({
      code: 'unsupported',
      message: expect.stringContaining(
        `exports \`${name}\`, which has no effect there; put it into \`options\`.`,
      ),
    })
  })

  test('options beside agents by default', async () => {
    const text = `export default { agents: ${agents} }; export const options = { token: 'secret' }`
    await expect(load('beside.mjs', text)).rejects.toThrow(/`options`, which has no effect beside/)
  })

  test('within `options` they are applied, in CommonJS too', async () => {
    const named = `export const agents = ${agents}; export const options = { token: 'secret' }`
    expect((await load('named.mjs', named)).options).toEqual({ token: 'secret' })
    const common = `exports.agents = ${agents}; exports.options = { token: 'secret' }`
    expect((await load('common.cjs', common)).options).toEqual({ token: 'secret' })
  })
})

describe('a module that cannot be loaded is named, with the remedy', () => {
  test.each([
    ['package.mjs', `import 'no-such-mill'`, 'npm install no-such-mill'],
    ['path.mjs', `import './no-such-mill.mjs'`, 'Check the path of that import.'],
    [
      'throws.mjs',
      `throw new Error('The race is dry.')`,
      'failed while it was loaded:\nError: The race',
    ],
    ['odd.mjs', `throw 'dry'`, 'failed while it was loaded:\ndry'],
  ])('%s', async (name, text, words) => {
    const loading = load(name, text)
    await expect(loading).rejects.toMatchObject({ code: 'unsupported' })
    await expect(loading).rejects.toThrow(join(folder, name))
    await expect(loading).rejects.toThrow(words)
  })

  test('a folder', async () => {
    await expect(loadAgents(folder)).rejects.toThrow('is a folder; name the module in it.')
  })
})
