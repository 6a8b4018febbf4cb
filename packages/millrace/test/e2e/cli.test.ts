import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { afterEach, expect, test } from 'vitest'

const main = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url))
const children: ChildProcessWithoutNullStreams[] = []

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
})

/** Starts the command and waits until it has said where it listens. */
async function start(...args: string[]) {
  const env = { ...process.env, PORT: '0', ANTHROPIC_API_KEY: '' }
  const child = spawn(process.execPath, ['--import', 'tsx', main, ...args], { env })
  children.push(child)
  let output = ''
  let complaints = ''
  child.stdout.on('data', (chunk: Buffer) => void (output += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => void (complaints += chunk.toString()))
  await expect.poll(() => output, { timeout: 20_000, interval: 50 }).toContain('Ctrl-C stops.')
  const url = /http:\/\/[\d.:]+/.exec(output)?.[0] ?? ''
  return { child, url, output: () => output, complaints: () => complaints }
}

const ask = (url: string): Promise<Response> =>
  fetch(`${url}/agent/run`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ user_prompt: '/demo long 100000' }),
  })

test('Ctrl-C ends the run under way with its end, then the process', async () => {
  const { child, url, output, complaints } = await start('dev', '--pace', '50')
  const response = await ask(url)
  const exit = once(child, 'exit')
  child.kill('SIGINT')
  const stream = await response.text()
  expect(await exit).toEqual([0, null])
  expect(stream.endsWith('data: [DONE]\n\n')).toBe(true)
  expect(stream).toContain('\\"stop_reason\\":\\"aborted\\"')
  expect(output()).toContain('Stopping')
  expect(complaints()).toBe('')
})
