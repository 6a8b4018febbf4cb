import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createRecordedTerminal } from '../../../../millrace/test/support/processes/recorded-terminal.ts'
import { runCommand } from '../run-command.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-'))
})
afterEach(() => rm(folder, { recursive: true }))

const good = {
  name: 'good',
  kind: 'sse_decode',
  input: { chunks_b64: ['ZGF0YTogeAoK'] },
  expected: { data: ['x'] },
}

async function run(
  cases: readonly unknown[],
): Promise<{ code: number; output: readonly string[] }> {
  const file = join(folder, 'cases.jsonl')
  await writeFile(
    file,
    cases.map((one) => (typeof one === 'string' ? one : JSON.stringify(one))).join('\n'),
  )
  const terminal = createRecordedTerminal()
  const code = await runCommand(['conformance', file], terminal)
  return { code, output: [...terminal.printed, ...terminal.complaints] }
}

test('passing cases are counted by kind, and the last line has the totals', async () => {
  const { code, output } = await run([good, '', good])
  expect(code).toBe(0)
  expect(output).toEqual([
    ['kind        passed  failed  not supported', 'sse_decode  2       0       0\n'].join('\n'),
    '2 passed, 0 failed',
  ])
})

test('a failing case is a line with the expected and the actual value', async () => {
  const { code, output } = await run([good, { ...good, name: 'bad', expected: { data: ['y'] } }])
  expect(code).toBe(1)
  expect(output[0]).toMatch(/✗ .*cases\.jsonl bad \(sse_decode\): .*expected "y", found "x"/)
  expect(output.at(-1)).toBe('1 passed, 1 failed')
})

test('a kind that is not supported yet counts as failed', async () => {
  const { code, output } = await run([{ ...good, kind: 'telepathy' }])
  expect(code).toBe(1)
  expect(output[0]).toContain('kind telepathy is not supported')
})

test('cases of segments and formats need no kind', async () => {
  const text = { type: 'text', content: 'a' }
  const cases = [
    {
      name: 'segments',
      strategy: 'xml',
      chunks: ['a'],
      expected: [{ ...text, metadata: {}, ended: true }],
    },
    { name: 'formats', format: 'think', text: 'a', expected: [text] },
  ]
  const { code, output } = await run(cases)
  expect(code).toBe(0)
  expect(output.at(-1)).toBe('2 passed, 0 failed')
})

test('a line that is no case, and a missing file, each count as one failure', async () => {
  const { code, output } = await run(['{"name":', good])
  expect(code).toBe(1)
  expect(output[0]).toMatch(/cases\.jsonl line 1 \(unreadable\): the line is not a case/)
  expect(output.at(-1)).toBe('1 passed, 1 failed')
  const terminal = createRecordedTerminal()
  expect(await runCommand(['conformance', join(folder, 'none.jsonl')], terminal)).toBe(1)
  expect(terminal.printed[0]).toMatch(/cannot be read/)
  expect(terminal.printed.at(-1)).toBe('0 passed, 1 failed')
})

test('names of Object.prototype are not kinds', async () => {
  const { output } = await run([{ ...good, kind: 'constructor' }])
  expect(output.at(-1)).toBe('0 passed, 1 failed')
})

test('without a file it prints its usage', async () => {
  expect(await runCommand(['conformance'], createRecordedTerminal())).toBe(2)
})

test('only the selected kinds are run', async () => {
  const file = join(folder, 'cases.jsonl')
  await writeFile(
    file,
    [good, { ...good, kind: 'telepathy' }].map((one) => JSON.stringify(one)).join('\n'),
  )
  const terminal = createRecordedTerminal()
  expect(await runCommand(['conformance', file, '--kinds', 'sse_decode,cost'], terminal)).toBe(0)
  expect(terminal.printed.at(-1)).toBe('1 passed, 0 failed')
})

test.each([
  ['a kind that nobody knows', ['--kinds', 'telepathy'], 'There is no kind "telepathy"'],
  ['no command after --', ['--'], 'Name the command'],
  ['a limit that is no number', ['--time-limit-ms', 'soon', '--', 'x'], 'whole number'],
  ['recordings and a command', ['--recordings', '.', '--', 'x'], 'Recordings are only checked'],
])('%s is rejected', async (_what, args, words) => {
  const terminal = createRecordedTerminal()
  expect(await runCommand(['conformance', ...args], terminal)).toBe(2)
  expect(terminal.complaints[0]).toContain(words)
})

test('as an adapter it writes hello, then answers line by line until its input ends', async () => {
  async function* input(): AsyncGenerator<Uint8Array> {
    const tasks = [
      { id: 1, kind: 'sse_decode', case: 'a', input: {}, bytes_b64: ['ZGF0YTog', 'eAoK'] },
      { id: 2, kind: 'telepathy', case: 'b', input: {} },
      { id: 3, kind: 'sse_decode', case: 'c', input: {}, text: ['x'] },
    ]
    const bytes = new TextEncoder().encode(tasks.map((task) => JSON.stringify(task)).join('\n'))
    yield bytes.subarray(0, 40)
    yield bytes.subarray(40)
  }
  const terminal = createRecordedTerminal({}, input())
  expect(await runCommand(['conformance', '--adapter'], terminal)).toBe(0)
  const [hello, ...answers] = terminal.written.map((line): unknown => JSON.parse(line))
  expect(hello).toMatchObject({ hello: { protocol: 1, name: 'millrace', units: 'utf-16' } })
  expect(answers).toEqual([
    {
      id: 1,
      output: { events: [{ data: 'x', event: null, id: null }], last_event_id: '', retry: null },
    },
    { id: 2, unsupported: 'the kind telepathy' },
    { id: 3, error: 'sse_decode is fed bytes' },
  ])
})
