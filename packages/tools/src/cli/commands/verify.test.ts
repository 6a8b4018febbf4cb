import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createRecordedTerminal } from '../../../../millrace/test/support/processes/recorded-terminal.ts'
import { encodeEnvelope } from 'millrace'
import { encodeSse } from 'millrace'
import { runCommand } from '../run-command.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-'))
})
afterEach(() => rm(folder, { recursive: true }))

const lines = [
  { type: 'meta_init', final: true, delta: '{}' },
  { type: 'text', final: false, delta: 'hi' },
  { type: 'text', final: true, delta: '' },
  { type: 'meta_end', final: true, delta: '{}' },
].map((message) => encodeEnvelope({ agent: 'a', ...message }))

const framed = lines.map((data, index) => encodeSse({ id: index + 1, data })).join('')

async function verify(text: string, ...options: string[]) {
  const file = join(folder, 'stream')
  await writeFile(file, text)
  const terminal = createRecordedTerminal()
  return {
    code: await runCommand(['verify', file, ...options], terminal),
    output: terminal.printed.join('\n'),
  }
}

test('a stream that conforms to every rule is reported as such', async () => {
  expect(await verify(`retry: 1000\n\n${framed}data: [DONE]\n\n`)).toMatchObject({
    code: 0,
    output: expect.stringMatching(/4 messages, no violations/),
  })
})

test('envelopes are accepted, one per line', async () => {
  expect(await verify(`${lines.join('\n')}\n[DONE]\n`)).toMatchObject({ code: 0 })
})

test('a violated rule is reported with its frame', async () => {
  const { code, output } = await verify(framed.replace('id: 3', 'id: 4'))
  expect(code).toBe(1)
  expect(output).toMatch(/message 3 breaks \[LOG-2\]/)
  expect(output).toMatch(/breaks \[SSE-5\]/)
})

test('a stream of the thirteen types needs no end of its own', async () => {
  expect(await verify(`${lines.slice(0, 3).join('\n')}\n[DONE]`, '--seed')).toMatchObject({
    code: 0,
  })
})

test('ids of a stream of the thirteen types may have gaps, where other types were omitted', async () => {
  const ids = [1, 2, 4]
  const frames = lines.slice(0, 3).map((line, index) => `id: ${ids[index]}\ndata: ${line}\n\n`)
  const stream = `${frames.join('')}data: [DONE]\n\n`
  expect(await verify(stream, '--seed')).toMatchObject({ code: 0 })
  expect((await verify(stream)).output).toMatch(/breaks \[LOG-2\]/)
})

test('of many violations the first are printed, and the rest is counted', async () => {
  const { code, output } = await verify('{"type":"nothing"}\n'.repeat(100), '--show', '3')
  expect(code).toBe(1)
  expect(output.split('\n')).toHaveLength(4)
  expect(output).toMatch(/and \d+ more; --show \d+ prints them all$/)
})

test.each([
  ['ai-sdk', 'an AI SDK stream', 'data: {"type":"start","messageId":"m"}\n\n'],
  ['ag-ui', 'an AG-UI stream', 'data: {"type":"RUN_STARTED"}\n\n'],
  ['anthropic', 'a stream of the Messages API', 'data: {"type":"message_start"}\n\n'],
  ['xml', 'legacy XML', '<meta_init data="{}"></meta_init>\n'],
])(
  'a stream of %s is reported once, with the command to convert it',
  async (format, name, frame) => {
    const { code, output } = await verify(frame.repeat(50))
    expect(code).toBe(1)
    expect(output.split('\n')).toHaveLength(1)
    expect(output).toContain(`looks like ${name}, not like envelopes`)
    expect(output).toContain(`millrace convert --from ${format} --to json`)
  },
)
