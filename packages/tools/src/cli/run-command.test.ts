import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { hostname } from 'node:os'
import { expect, test } from 'vitest'
import type { Terminal } from './command.ts'
import { runCommand } from './run-command.ts'

/** A terminal that records its output; `onReady` is called once the command waits to be stopped. */
function createTerminal(env: Terminal['env'] = {}, onReady = async (_: string) => {}) {
  const printed: string[] = []
  const complaints: string[] = []
  const terminal: Terminal = {
    // Creates no files where the tests run.
    env: { MILLRACE_STORE: 'memory:', ...env },
    print: (text) => printed.push(text),
    complain: (text) => complaints.push(text),
    input: (async function* () {})(),
    write: async () => {},
    untilStopped: () => onReady(printed.join('\n')),
  }
  return { terminal, printed, complaints }
}

const addressIn = (text: string): string => /http:\/\/[\d.:]+/.exec(text)?.[0] ?? ''

test('--version prints the version of the package', async () => {
  const { terminal, printed } = createTerminal()
  expect(await runCommand(['--version'], terminal)).toBe(0)
  expect(printed).toEqual([expect.stringMatching(/^\d+\.\d+\.\d+/)])
})

test('help lists every command, and each prints its usage', async () => {
  const { terminal, printed } = createTerminal()
  expect(await runCommand([], terminal)).toBe(0)
  expect(printed.join()).toMatch(/dev .*\n.*init .*\n.*serve .*\n.*sessions .*\n.*emulate /)
  expect(await runCommand(['dev', '--help'], terminal)).toBe(0)
  expect(printed.at(-1)).toContain('Usage: millrace dev [MODULE] [--watch] [--port')
})

test.each([
  [['toString'], 'no command toString; use one of dev, init, serve,'],
  [['dev', '--port', 'x'], '--port must be a port'],
  [['dev', '--pace', 'fast'], '--pace must be'],
  [['dev', '--store', 'mill.db'], 'Write the path of a file as sqlite:mill.db'],
  [['dev', 'agents.js', 'more.js'], 'Only one module'],
  [['dev', 'agents.js', '--pace', 'instant'], '--pace is for the demo agent'],
  [['emulate', '--what'], 'no option --what; use one of --port, --host, --pace,'],
  [['dev', '--port'], "Option '--port <value>' argument missing."],
])('%j is explained in one line', async (args, words) => {
  const { terminal, complaints } = createTerminal()
  expect(await runCommand(args, terminal)).toBe(2)
  expect(complaints.join()).toContain(words)
  expect(complaints.join()).toMatch(/^[^\n]* millrace (?:\w+ )?--help \w+/)
  expect(complaints.join()).not.toContain('\n')
})

test('dev serves the demo agent and the emulated model until it is stopped', async () => {
  let url = ''
  const { terminal, printed, complaints } = createTerminal({ PORT: '0' }, async (text) => {
    url = addressIn(text)
    const response = await fetch(`${url}/agent/run`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ user_prompt: '/demo tools' }),
    })
    const stream = await response.text()
    expect(stream).toContain('"type":"tool_result"')
    expect(stream.endsWith('data: [DONE]\n\n')).toBe(true)
  })
  expect(await runCommand(['dev', '--pace', 'instant'], terminal)).toBe(0)
  expect(printed.join()).toContain('/demo text | thinking | citations')
  expect(complaints).toEqual([])
  await expect(fetch(`${url}/health`)).rejects.toThrow()
})

test('dev names the model that answers, and warns if other machines can reach it', async () => {
  const env = { PORT: '0', HOST: '0.0.0.0', ANTHROPIC_API_KEY: 'key', MILLRACE_MODEL: 'some-model' }
  const { terminal, printed, complaints } = createTerminal(env)
  expect(await runCommand(['dev'], terminal)).toBe(0)
  expect(printed.join()).toContain('some-model, the real API')
  expect(printed.join()).not.toContain('key,')
  expect(complaints.join()).toContain('reached from other machines')
})

/** Sends a request under another name than that of the connection. */
const statusUnder = async (url: string, host: string): Promise<number | undefined> => {
  const request = get(`${url}/health`, { headers: { host }, agent: false })
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  response.resume()
  return response.statusCode
}

test('dev answers under its configured names, and no other', async () => {
  const { terminal } = createTerminal({ PORT: '0' }, async (text) => {
    const url = addressIn(text)
    expect(await statusUnder(url, 'studio.example')).toBe(200)
    expect(await statusUnder(url, 'proxy.example:8443')).toBe(200)
    expect(await statusUnder(url, 'evil.example')).toBe(403)
  })
  const names = ['--allow-host', 'studio.example', '--allow-host', 'proxy.example']
  expect(await runCommand(['dev', ...names], terminal)).toBe(0)
})

const ownName = hostname()
const isKnown = await lookup(ownName).then(
  () => true,
  () => false,
)

test.skipIf(!isKnown)('dev answers under the name that it listens on', async () => {
  const { terminal, printed } = createTerminal({ PORT: '0', HOST: ownName }, async (text) => {
    const url = /http:\/\/\S+/.exec(text)?.[0] ?? ''
    expect(new URL(url).hostname).toBe(ownName.toLowerCase())
    expect((await fetch(`${url}/health`)).status).toBe(200)
  })
  expect(await runCommand(['dev'], terminal)).toBe(0)
  expect(printed.join()).toContain(ownName)
})

test('a port in use is reported in a readable message', async () => {
  const { terminal } = createTerminal({}, async (text) => {
    const port = new URL(addressIn(text)).port
    const second = createTerminal({ PORT: port })
    expect(await runCommand(['dev'], second.terminal)).toBe(1)
    expect(second.complaints.join()).toBe(
      `Could not listen on 127.0.0.1:${port}. The port is already in use; stop the other process, or choose another port.\nTo use another port:  add --port ${Number(port) + 1}`,
    )
  })
  expect(await runCommand(['emulate', '--port', '0'], terminal)).toBe(0)
})

const askEmulator = (url: string, headers: Record<string, string> = {}, more: object = {}) =>
  fetch(`${url}/v1/messages`, {
    method: 'POST',
    headers: { 'anthropic-version': '2023-06-01', 'x-api-key': 'any', ...headers },
    body: JSON.stringify({
      model: 'any',
      max_tokens: 100,
      messages: [{ role: 'user', content: '/demo text' }],
      ...more,
    }),
  })

test('emulate answers as the Messages API does, and prints the requests', async () => {
  const { terminal, printed } = createTerminal({}, async (text) => {
    const response = await askEmulator(addressIn(text), {}, { mood: 'good' })
    expect(await response.json()).toMatchObject({ type: 'message', role: 'assistant' })
  })
  expect(await runCommand(['emulate', '--port', '0', '--pace', '1000'], terminal)).toBe(0)
  expect(printed.join('\n')).toContain('POST /v1/messages 200 any · text · unknown field mood')
})

test('emulate fails as configured, for all requests and for one', async () => {
  const { terminal, printed } = createTerminal({}, async (text) => {
    const url = addressIn(text)
    const stream = { stream: true }
    expect((await askEmulator(url, {}, stream)).status).toBe(429)
    const cut = await askEmulator(url, { 'x-millrace-fault': 'cut@byte:50' }, stream)
    await expect(cut.text()).rejects.toThrow('terminated')
  })
  const options = ['--fault', 'rate_limit=1*1', '--fault', 'crlf', '--seed', 'a', '--speed', '9']
  const args = ['emulate', '--port', '0', '--pace', 'instant', ...options]
  expect(await runCommand(args, terminal)).toBe(0)
  expect(printed.join('\n')).toContain('429 any · text · fault status · fault crlf')
})

test.each([
  ['--fault', 'explode', 'the faults are bad_json, bom'],
  ['--speed', '0', '--speed must be a number above 0'],
])('emulate %s %s is rejected with a message', async (option, value, words) => {
  const { terminal, complaints } = createTerminal({})
  expect(await runCommand(['emulate', option, value], terminal)).toBe(2)
  expect(complaints.join()).toContain(words)
})
