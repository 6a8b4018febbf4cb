import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { freePort } from '../support/network/real-proxies.ts'
import { builtCommand, START_TIMEOUT_MS } from '../support/processes/example-process.ts'

const children: ChildProcessWithoutNullStreams[] = []

// No test starts more than two processes, one after the other.
vi.setConfig({ testTimeout: 3 * START_TIMEOUT_MS })

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
})

/** Starts the command and waits until it has printed its address. */
async function start(...args: string[]) {
  const env = { ...process.env, PORT: '0', ANTHROPIC_API_KEY: '', MILLRACE_STORE: 'memory:' }
  const child = spawn(process.execPath, [builtCommand, ...args], { env })
  children.push(child)
  let output = ''
  let complaints = ''
  child.stdout.on('data', (chunk: Buffer) => void (output += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => void (complaints += chunk.toString()))
  const patience = { timeout: START_TIMEOUT_MS, interval: 50 }
  await expect.poll(() => output, patience).toContain('Ctrl-C stops.')
  const url = /http:\/\/[\d.:]+/.exec(output)?.[0] ?? ''
  return { child, url, output: () => output, complaints: () => complaints }
}

const ask = (url: string, body: object = {}): Promise<Response> =>
  fetch(`${url}/agent/run`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ user_prompt: '/demo long 100000', ...body }),
  })

test('Ctrl-C ends the active run regularly, then the process', async () => {
  const { child, url, output, complaints } = await start('dev', '--pace', '50')
  const response = await ask(url)
  const exit = once(child, 'close')
  child.kill('SIGINT')
  const stream = await response.text()
  expect(await exit).toEqual([0, null])
  expect(stream.endsWith('data: [DONE]\n\n')).toBe(true)
  expect(stream).toContain('\\"stop_reason\\":\\"aborted\\"')
  expect(output()).toContain('Stopping')
  expect(complaints()).toBe('')
})

test('a signal that arrives twice at once is one', async () => {
  const { child, url } = await start('dev', '--pace', '50')
  const response = await ask(url)
  const exit = once(child, 'close')
  child.kill('SIGINT')
  child.kill('SIGTERM')
  expect((await response.text()).endsWith('data: [DONE]\n\n')).toBe(true)
  expect(await exit).toEqual([0, null])
})

test('a server continues after the reader of its output exits', async () => {
  const { child, url } = await start('dev', '--pace', '50')
  child.stdout.destroy()
  child.stderr.destroy()
  const response = await ask(url)
  const exit = once(child, 'close')
  // It prints that it stops, without a reader.
  child.kill('SIGINT')
  expect((await response.text()).endsWith('data: [DONE]\n\n')).toBe(true)
  expect(await exit).toEqual([0, null])
})

const session = '00000000-0000-4000-8000-000000000001'

/** Reads until a word of the answer has arrived, then disconnects. */
async function readSome(response: Response): Promise<void> {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  for (;;) {
    const { done, value = '' } = await reader.read()
    if (done || value.includes('"type":"text"')) return void reader.cancel().catch(() => {})
  }
}

const stop = async (child: ChildProcessWithoutNullStreams, signal: NodeJS.Signals) => {
  const exit = once(child, 'close')
  child.kill(signal)
  return exit
}

test.each([
  ['SIGTERM', [0, null], 'A run was handed off'],
  // No lease is awaited: the next server detects that the process is gone.
  ['SIGKILL', [null, 'SIGKILL'], ''],
] as const)('after %s the next start recovers the run at once', async (signal, code, words) => {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-'))
  try {
    const store = `sqlite:${join(folder, 'mill.db')}`
    const first = await start('dev', '--pace', '50', '--store', store)
    expect(first.output()).not.toContain('Resumed')
    await readSome(await ask(first.url, { agent_uuid: session, user_prompt: '/demo long 5000' }))
    expect(await stop(first.child, signal)).toEqual(code)
    expect(first.output()).toContain(words)
    expect(first.complaints()).toBe('')

    const second = await start('dev', '--pace', 'instant', '--store', store)
    expect(second.output()).toContain(`Resumed a run that was interrupted`)
    expect(second.output()).toContain(session)
    const stream = await (await fetch(`${second.url}/agent/${session}/stream`)).text()
    expect(stream).toContain('"type":"rollback"')
    expect(stream).toContain('\\"stop_reason\\":\\"end_turn\\"')
    expect(stream.endsWith('data: [DONE]\n\n')).toBe(true)
    expect(await stop(second.child, 'SIGTERM')).toEqual([0, null])
    expect(second.complaints()).toBe('')
  } finally {
    await rm(folder, { recursive: true })
  }
})

/** Runs a command to its end. */
async function runToEnd(...args: string[]) {
  const child = spawn(process.execPath, [...args])
  children.push(child)
  let complaints = ''
  child.stderr.on('data', (chunk: Buffer) => void (complaints += chunk.toString()))
  const [code] = (await once(child, 'close')) as [number]
  return { code, complaints }
}

test('serve explains a module that Node cannot parse, and shows the position', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-'))
  try {
    const unknown = join(folder, 'agent.unknown')
    const broken = join(folder, 'broken.mjs')
    await writeFile(unknown, 'export default {}')
    await writeFile(broken, 'export const = 1')
    const cli = [builtCommand, 'serve', '--store', 'memory:']
    const first = await runToEnd(...cli, unknown)
    expect(first.complaints).toContain('cannot load')
    expect(first.code).toBe(1)
    const second = await runToEnd(...cli, broken)
    expect(second.complaints).toContain('SyntaxError')
    expect(second.code).toBe(1)
  } finally {
    await rm(folder, { recursive: true })
  }
})

test('dev shows the position of an error in a module, without internal stack frames', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-'))
  try {
    const file = join(folder, 'failing.mjs')
    await writeFile(file, `const level = () => { throw new Error('The race is dry.') }\nlevel()`)
    const cli = [builtCommand, 'dev', '--store', 'memory:']
    const { code, complaints } = await runToEnd(...cli, file)
    const [said, error, ...frames] = complaints.trimEnd().split('\n')
    expect(said).toBe(`${file} failed while it was loaded:`)
    expect(error).toBe('Error: The race is dry.')
    expect(frames).toHaveLength(2)
    for (const frame of frames) expect(frame).toContain('failing.mjs')
    expect(code).toBe(1)
  } finally {
    await rm(folder, { recursive: true })
  }
})

test('serve --studio serves the page without a token, and content only with it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-'))
  try {
    const agents = join(folder, 'agents.mjs')
    await writeFile(agents, `export default { name: 'miller', async *run() {} }`)
    const env = { ...process.env, PORT: '0', MILLRACE_TOKEN: 'a-Very-Secret-Token-0815' }
    const options = ['--studio', '--store', 'memory:', '--log-format', 'pretty']
    const args = [builtCommand, 'serve', agents, ...options]
    const child = spawn(process.execPath, args, { env })
    children.push(child)
    let output = ''
    child.stdout.on('data', (chunk: Buffer) => void (output += chunk.toString()))
    const patience = { timeout: START_TIMEOUT_MS }
    await expect.poll(() => output, patience).toMatch(/http:\S+ with Studio for miller/)
    const url = /http:\/\/[\d.:]+/.exec(output)?.[0] ?? ''
    const page = await fetch(url)
    expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    const html = await page.text()
    expect(html).toMatch(/<title>.*Studio/)
    const script = /src="([^"]+\.js)"/.exec(html)?.[1] ?? ''
    expect((await fetch(new URL(script, `${url}/`))).status).toBe(200)
    expect((await fetch(`${url}/agent/sessions`)).status).toBe(401)
    const headers = { authorization: `Bearer ${env.MILLRACE_TOKEN}` }
    expect((await fetch(`${url}/agent/sessions`, { headers })).status).toBe(200)
    expect(await stop(child, 'SIGTERM')).toEqual([0, null])
  } finally {
    await rm(folder, { recursive: true })
  }
})

test('a command whose output is closed early ends without a message, and not with exit code 0', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-'))
  try {
    const file = join(folder, 'broken.jsonl')
    await writeFile(file, 'data: no message\n\n'.repeat(100_000))
    const child = spawn(process.execPath, [builtCommand, 'verify', file])
    children.push(child)
    let complaints = ''
    child.stderr.on('data', (chunk: Buffer) => void (complaints += chunk.toString()))
    const exit = once(child, 'close')
    child.stdout.destroy()
    expect(await exit).toEqual([141, null])
    expect(complaints).toBe('')
  } finally {
    await rm(folder, { recursive: true })
  }
})

test('dev --watch restarts with a changed module, and continues its sessions', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-'))
  const file = join(folder, 'agents.mjs')
  const library = new URL('../../dist/adapters/index.js', import.meta.url).href
  const write = (answer: string) =>
    writeFile(
      file,
      `import { fromEvents } from '${library}'
      import { answer } from './answer.mjs'
      export const agents = { baker: fromEvents({ name: 'baker', async *run() { yield { type: 'text', text: answer } } }) }
      // ${answer}`,
    )
  const writeAnswer = (code: string) => writeFile(join(folder, 'answer.mjs'), code)
  try {
    await write('first')
    await writeAnswer(`export const answer = 'rye'`)
    const port = String(await freePort())
    const store = `sqlite:${join(folder, 'mill.db')}`
    const { child, url, output, complaints } = await start(
      'dev',
      file,
      '--watch',
      '--port',
      port,
      '--store',
      store,
    )
    const answered = async (prompt: string): Promise<string> => {
      const response = await ask(url, { agent_uuid: session, user_prompt: prompt }).catch(
        () => undefined,
      )
      return (await response?.text()) ?? ''
    }
    const patience = { timeout: START_TIMEOUT_MS, interval: 200 }
    expect(await answered('one')).toContain('rye')
    await writeAnswer(`export const answer = 'spelt'`)
    await expect.poll(() => answered('two'), patience).toContain('spelt')
    await writeAnswer(`export const answer = `)
    await expect.poll(complaints, patience).toContain('cannot be read')
    await writeAnswer(`export const answer = 'oat'`)
    await expect.poll(() => answered('three'), patience).toContain('oat')
    const log = await (await fetch(`${url}/agent/${session}/stream?after=0`)).text()
    expect(log).toMatch(/rye.*spelt.*oat/s)
    const exit = once(child, 'close')
    child.kill('SIGTERM')
    expect(await exit).toEqual([0, null])
    expect(output()).toContain('Stopping')
    await expect(fetch(url)).rejects.toThrow()
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
