import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createRecordedTerminal } from '../../../test/support/recorded-terminal.ts'
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

test('passing cases are counted, and the last line says so', async () => {
  expect(await run([good, '', good])).toEqual({ code: 0, output: ['2 passed, 0 failed'] })
})

test('a failing case is a line with what was expected and found', async () => {
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
  expect(await run(cases)).toEqual({ code: 0, output: ['2 passed, 0 failed'] })
})

test('a line that is no case, and a file that is not there, each count as one failure', async () => {
  const { code, output } = await run(['{"name":', good])
  expect(code).toBe(1)
  expect(output[0]).toMatch(/cases\.jsonl line 1 \(unreadable\): the line is not a case/)
  expect(output.at(-1)).toBe('1 passed, 1 failed')
  const terminal = createRecordedTerminal()
  expect(await runCommand(['conformance', join(folder, 'none.jsonl')], terminal)).toBe(1)
  expect(terminal.printed).toEqual([expect.stringMatching(/cannot be read/), '0 passed, 1 failed'])
})

test('names of Object.prototype are no kinds', async () => {
  const { output } = await run([{ ...good, kind: 'constructor' }])
  expect(output.at(-1)).toBe('0 passed, 1 failed')
})

test('without a file it says how it is used', async () => {
  expect(await runCommand(['conformance'], createRecordedTerminal())).toBe(2)
})
