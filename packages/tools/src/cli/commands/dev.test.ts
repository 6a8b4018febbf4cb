import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Terminal } from '../command.ts'
import { runCommand } from '../run-command.ts'

let folder = ''

const agent = (name: string): string => `{
  name: '${name}',
  model: 'stone-1',
  async *run({ agent = '' }) {
    const usage = { input_tokens: 1, output_tokens: 2 }
    yield { type: 'run_start', agent, runId: 'r', prompt: 'p', model: 'm', messages: [] }
    yield { type: 'run_end', agent, stopReason: 'end_turn', steps: 1, usage, messages: [], files: [] }
  },
}`

const modules: Readonly<Record<string, string>> = {
  'agents.mjs': `export const agents = { miller: ${agent('miller')}, baker: ${agent('baker')} }
    export const defaultAgent = 'baker'
    export const close = () => { globalThis.millraceDevClosed = true }`,
  'secret.mjs': `export const agent = ${agent('miller')}
    export const options = { token: 'a-Very-Secret-Token-0815' }`,
  'empty.mjs': 'export const x = 1',
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-dev-'))
  for (const [name, text] of Object.entries(modules)) await writeFile(join(folder, name), text)
})

afterAll(() => rm(folder, { recursive: true }))

/** Runs the command on a module until `visit` has ended. */
async function run(
  [file = '', ...args]: readonly string[],
  visit: (url: string) => Promise<void> = async () => {},
) {
  const printed: string[] = []
  const complaints: string[] = []
  const terminal: Terminal = {
    env: { MILLRACE_STORE: 'memory:', PORT: '0' },
    print: (text) => printed.push(text),
    complain: (text) => complaints.push(text),
    input: (async function* () {})(),
    write: async () => {},
    untilStopped: () => visit(/http:\/\/[\d.:]+\d/.exec(printed.join('\n'))?.[0] ?? ''),
  }
  const code = await runCommand(['dev', join(folder, file), ...args], terminal)
  return { code, printed: printed.join('\n'), complaints: complaints.join('\n') }
}

test('dev serves the agents of a module without a token, and calls its close function', async () => {
  const { code, printed, complaints } = await run(['agents.mjs'], async (url) => {
    const health = (await (await fetch(`${url}/health`)).json()) as object
    expect(health).toMatchObject({ agents: ['miller', 'baker'], default_agent: 'baker' })
    const list = await fetch(`${url}/agent/sessions`)
    expect(await list.json()).toMatchObject({ total: 0 })
  })
  expect(complaints).toBe('')
  expect(code).toBe(0)
  expect(printed).toMatch(/miller, baker, from .*agents\.mjs; the default is baker/)
  expect(printed).toContain('Model     stone-1')
  expect(printed).toContain('Sessions  in memory')
  expect(printed).not.toContain('/demo')
  expect(globalThis).toHaveProperty('millraceDevClosed', true)
})

test('dev requires a token if the module configures one', async () => {
  const { code } = await run(['secret.mjs'], async (url) => {
    expect((await fetch(`${url}/agent/sessions`)).status).toBe(401)
  })
  expect(code).toBe(0)
})

test('dev does not expose custom agents to other machines without a token', async () => {
  const { code, complaints } = await run(['agents.mjs', '--host', '0.0.0.0'])
  expect(code).toBe(2)
  expect(complaints).toContain('--host 127.0.0.1 for this machine only')
  expect(complaints).toMatch(/millrace serve \S+agents\.mjs --studio/)
  expect((await run(['secret.mjs', '--host', '0.0.0.0'])).code).toBe(0)
})

test.each([
  ['missing.mjs', 'There is no file'],
  ['empty.mjs', 'exports no agent. Export `agents`'],
])('dev explains %s, by its name', async (file, words) => {
  const { code, complaints } = await run([file])
  expect(complaints).toContain(words)
  expect(complaints).toContain(join(folder, file))
  expect(code).toBe(1)
})
