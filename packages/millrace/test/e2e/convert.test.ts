import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterEach, expect, test } from 'vitest'
import { builtCommand, START_TIMEOUT_MS } from '../support/processes/example-process.ts'
import { messageEnd, messageStart, textBlock, toBody } from '../support/models/anthropic-events.ts'

const children: ChildProcessWithoutNullStreams[] = []

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
})

function start(...args: string[]) {
  const child = spawn(process.execPath, [builtCommand, 'convert', ...args])
  children.push(child)
  child.stdin.on('error', () => {})
  const said = { output: '', complaints: '' }
  child.stderr.on('data', (chunk: Buffer) => void (said.complaints += chunk.toString()))
  return { child, said }
}

test('a pipe is converted while it is open', async () => {
  const { child, said } = start('--from', 'anthropic', '--to', 'text')
  child.stdout.on('data', (chunk: Buffer) => void (said.output += chunk.toString()))
  child.stdin.write(toBody([messageStart(), ...textBlock(0, 'The wheel ')]))
  const patience = { timeout: START_TIMEOUT_MS, interval: 50 }
  await expect.poll(() => said.output, patience).toBe('The wheel ')
  child.stdin.end(toBody([...textBlock(1, 'turns.'), ...messageEnd()]))
  expect(await once(child, 'close')).toEqual([0, null])
  expect(said).toEqual({ output: 'The wheel turns.\n', complaints: '' })
})

test('a large stream passes through a slow reader', async () => {
  const { child, said } = start('--from', 'anthropic', '--to', 'json')
  const pieces = Array.from({ length: 20_000 }, (_, index) => `${index} `)
  child.stdin.end(toBody([messageStart(), ...textBlock(0, ...pieces), ...messageEnd()]))
  for await (const chunk of child.stdout) {
    said.output += String(chunk)
    await new Promise(setImmediate)
  }
  const deltas = [...said.output.matchAll(/"type":"text".*"delta":"(.*)"\}/g)]
  expect(deltas.map(([, delta]) => delta).join('')).toBe(pieces.join(''))
  expect(said.output.endsWith('data: [DONE]\n\n')).toBe(true)
})

test('a reader that closes early causes no message, and not exit code 0', async () => {
  const { child, said } = start('--from', 'anthropic', '--to', 'json')
  child.stdout.once('data', () => child.stdout.destroy())
  const text = textBlock(0, ...Array.from({ length: 20_000 }, () => 'The wheel turns. '))
  child.stdin.end(toBody([messageStart(), ...text, ...messageEnd()]))
  const [code] = (await once(child, 'close')) as [number]
  expect(code).toBe(141)
  expect(said.complaints).toBe('')
})
