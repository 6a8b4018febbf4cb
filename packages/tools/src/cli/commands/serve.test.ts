import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openWebhookReceiver } from '../../../../millrace/test/support/servers/webhook-receiver.ts'
import { createSqliteStore } from 'millrace/sqlite'
import type { Terminal } from '../command.ts'
import { runCommand } from '../run-command.ts'

let folder = ''

const agent = (name: string, answer: string): string => `{
  name: '${name}',
  async *run({ agent = '', state }) {
    const usage = { input_tokens: 1, output_tokens: 2 }
    yield { type: 'run_start', agent, runId: 'r', prompt: 'p', model: 'm', messages: [] }
    yield { type: 'block_start', agent, step: 1, block: 0, kind: 'text', content: { type: 'text', text: '' } }
    yield { type: 'block_delta', agent, step: 1, block: 0, text: ${JSON.stringify(answer)} }
    yield { type: 'block_end', agent, step: 1, block: 0, kind: 'text', content: { type: 'text', text: ${JSON.stringify(answer)} } }
    yield { type: 'run_end', agent, stopReason: 'end_turn', steps: 1, usage, messages: [], files: [] }
  },
}`

const modules: Readonly<Record<string, string>> = {
  'agents.mjs': `export const agents = { miller: ${agent('miller', 'flour')}, baker: ${agent('baker', 'bread')} }
    export const defaultAgent = 'baker'`,
  'one.mjs': `export default ${agent('miller', 'flour')}`,
  'guarded.mjs': `export const agent = ${agent('miller', 'flour')}
    export const options = { authorize: () => false }`,
  'secret.mjs': `export const agent = ${agent('miller', 'flour')}
    export const options = { token: 'a-Very-Secret-Token-0815' }`,
  'index.html': '<h1>The mill</h1>',
  'empty.mjs': 'export const x = 1',
  'wrong.mjs': 'export const agents = { miller: {} }',
  'absent.mjs': `export default { agents: { miller: ${agent('miller', 'x')} }, defaultAgent: 'baker' }`,
  'closing.mjs': `export default ${agent('miller', 'flour')}
    export const close = () => { globalThis.millraceTestClosed = true }`,
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-serve-'))
  for (const [name, text] of Object.entries(modules)) await writeFile(join(folder, name), text)
})

afterAll(() => rm(folder, { recursive: true }))

/** Serves a module until `visit` has ended. */
async function run(
  [file, ...args]: readonly string[],
  visit: (url: string) => Promise<void> = async () => {},
  env: Terminal['env'] = {},
) {
  const printed: string[] = []
  const complaints: string[] = []
  const terminal: Terminal = {
    env: { MILLRACE_STORE: 'memory:', PORT: '0', ...env },
    print: (text) => printed.push(text),
    complain: (text) => complaints.push(text),
    input: (async function* () {})(),
    write: async () => {},
    untilStopped: () => visit(/http:\/\/[\d.:]+\d/.exec(printed.join('\n'))?.[0] ?? ''),
  }
  const named = file === undefined ? [] : [join(folder, file)]
  const code = await runCommand(['serve', ...named, ...args], terminal)
  return { code, printed, complaints: complaints.join('\n') }
}

const ask = (url: string, body: object = {}, headers: Record<string, string> = {}) =>
  fetch(`${url}/agent/run`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ user_prompt: 'go', ...body }),
  })

describe('millrace serve', () => {
  test('serves the agents of a module, and writes a log for machines', async () => {
    const { code, printed, complaints } = await run(['agents.mjs'], async (url) => {
      expect(await (await ask(url)).text()).toContain('bread')
      expect(await (await ask(url, { agent_type: 'miller' })).text()).toContain('flour')
      const health = (await (await fetch(`${url}/health`)).json()) as object
      expect(health).toMatchObject({ status: 'healthy', version: expect.stringMatching(/^\d+\./) })
    })
    expect(complaints).toBe('')
    expect(code).toBe(0)
    const lines = printed.map((line) => JSON.parse(line) as Record<string, unknown>)
    expect(lines[0]).toMatchObject({
      msg: expect.stringMatching(/^listening at .* miller, baker; sessions in memory/),
    })
    expect(lines.filter(({ event }) => event === 'run_ended')).toHaveLength(2)
    expect(lines.at(-1)).toMatchObject({ msg: 'stopped' })
    expect(new Set(lines.map(({ node }) => node)).size).toBe(1)
  })

  test('serves a module with one agent, and calls its close function', async () => {
    await run(['one.mjs', '--log-format', 'pretty'], async (url) => {
      expect(await (await ask(url)).text()).toContain('flour')
    })
    await run(['closing.mjs'])
    expect(globalThis).toHaveProperty('millraceTestClosed', true)
  })

  test('requires its token, which is in no log', async () => {
    const token = 'a-Very-Secret-Token-0815'
    const args = ['one.mjs', '--host', '0.0.0.0', '--log-content']
    const visit = async (address: string): Promise<void> => {
      const url = address.replace('0.0.0.0', '127.0.0.1')
      expect((await ask(url)).status).toBe(401)
      const received = { authorization: `Bearer ${token}` }
      expect(await (await ask(url, { user_prompt: token }, received)).text()).toContain('flour')
      expect(await (await fetch(`${url}/health`)).json()).toEqual({ status: 'healthy' })
      const health = await fetch(`${url}/health`, { headers: received })
      expect(await health.json()).toMatchObject({ store: 'available' })
    }
    const { code, printed } = await run(args, visit, { MILLRACE_TOKEN: token })
    expect(code).toBe(0)
    expect(printed.join('\n')).not.toContain(token)
  })

  test('does not listen beyond this machine without authentication', async () => {
    const { code, complaints } = await run(['one.mjs', '--host', '0.0.0.0'])
    expect(code).toBe(2)
    expect(complaints).toContain('Set MILLRACE_TOKEN')
    expect((await run(['one.mjs', '--host', '0.0.0.0', '--allow-anyone'])).code).toBe(0)
    expect((await run(['guarded.mjs', '--host', '0.0.0.0'])).code).toBe(0)
    expect((await run(['secret.mjs', '--host', '0.0.0.0'])).code).toBe(0)
    expect((await run(['one.mjs', '--host', '127.example'])).complaints).toContain('other machines')
  })

  test('answers under the configured names and to the configured sites', async () => {
    const names = ['--allow-host', 'mill.example', '--allow-origin', 'https://app.example']
    await run(['one.mjs', ...names], async (url) => {
      const allowed = await ask(url, {}, { origin: 'https://app.example' })
      expect(allowed.headers.get('access-control-allow-origin')).toBe('https://app.example')
      await allowed.text()
      expect((await ask(url, {}, { origin: 'https://evil.example' })).status).toBe(403)
    })
  })

  test('sends events to the configured receiver, whose secret is in no log', async () => {
    const receiver = await openWebhookReceiver()
    const env = { MILLRACE_WEBHOOK_URL: receiver.url, MILLRACE_WEBHOOK_SECRET: receiver.secret }
    const { code, printed } = await run(
      ['one.mjs'],
      async (url) => {
        await (await ask(url)).text()
        await expect.poll(() => receiver.deliveries.length, { timeout: 20_000 }).toBe(1)
      },
      env,
    )
    await receiver.close()
    expect(code).toBe(0)
    expect(receiver.deliveries[0]?.event).toMatchObject({ type: 'run.completed' })
    expect(printed.join('\n')).not.toContain(receiver.secret)
  })

  test('serves a page next to the API, and the library for its imports', async () => {
    await run(['one.mjs', '--page', folder], async (url) => {
      expect(await (await fetch(url)).text()).toBe('<h1>The mill</h1>')
      expect((await fetch(`${url}/millrace/client/index.ts`)).status).toBe(200)
      expect(await (await ask(url)).text()).toContain('flour')
    })
  })

  test('finds its sessions after a restart on the same store', async () => {
    const store = `sqlite:${join(folder, 'mill.db')}`
    await run(['one.mjs', '--store', store], async (url) => void (await (await ask(url)).text()))
    await run(['one.mjs', '--store', store], async (url) => {
      const list = (await (await fetch(`${url}/agent/sessions`)).json()) as { total: number }
      expect(list.total).toBe(1)
    })
  })

  test('rejects a second server on the same file, unless both share it', async () => {
    const store = `sqlite:${join(folder, 'both.db')}`
    await run(['one.mjs', '--store', store], async () => {
      const { code, complaints } = await run(['one.mjs', '--store', store])
      expect(complaints).toContain('Another server uses')
      expect(code).toBe(1)
    })
    const shared = ['one.mjs', '--store', `${store}?shared=1`]
    await run(shared, async (url) => {
      await (await ask(url)).text()
      await run(shared, async (other) => {
        const list = (await (await fetch(`${other}/agent/sessions`)).json()) as { total: number }
        expect(list.total).toBe(1)
      })
    })
  })

  test('uses the store of a module', async () => {
    const path = join(folder, 'own.db')
    const door = new URL('../../../../millrace/src/stores/sqlite/index.ts', import.meta.url).href
    const agents = new URL('one.mjs', `file://${folder}/`).href
    const module = `import { createSqliteStore } from '${door}'
      export { default } from '${agents}'
      const store = createSqliteStore({ path: ${JSON.stringify(path)} })
      export const options = { store }
      export const close = store.close`
    await writeFile(join(folder, 'own.mjs'), module)
    const { printed } = await run(['own.mjs'], async (url) => void (await (await ask(url)).text()))
    expect(printed.join()).toContain('in the store of the module')
    const again = createSqliteStore({ path })
    expect((await again.list({ limit: 1, offset: 0 })).total).toBe(1)
    await again.close()
  })

  test.each([
    [[], 2, 'Name the module'],
    [['one.mjs', 'two.mjs'], 2, 'Only one module'],
    [['missing.mjs'], 1, 'There is no file'],
    [['empty.mjs'], 1, 'exports no agent. Export `agents`'],
    [['wrong.mjs'], 1, 'agents.miller, which is not an agent'],
    [['absent.mjs'], 1, 'not among its agents: miller'],
    [['one.mjs', '--page', '/nowhere'], 2, '--page must be a folder with an index.html'],
    [['one.mjs', '--page', '/nowhere', '--studio'], 2, 'leave one of them out'],
    [['one.mjs', '--log-level', 'loud'], 2, '--log-level must be one of debug, info'],
    [
      ['one.mjs', '--allow-origin', 'app.example'],
      2,
      'must be an origin such as https://app.example',
    ],
    [['one.mjs', '--token', 'with space'], 2, 'token'],
    [['one.mjs', '--webhook', 'https://hooks.example'], 2, 'set MILLRACE_WEBHOOK_SECRET'],
    [['one.mjs', '--store', 'mill.db'], 2, 'Write the path of a file as sqlite:mill.db'],
  ])('%j is explained', async (args, code, words) => {
    const result = await run(args)
    expect(result.complaints).toContain(words)
    expect(result.code).toBe(code)
  })
})
