import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  fixtures,
  runEnvelopes,
} from '../../../../millrace/test/support/protocols/convert-fixtures.ts'
import { createRecordedTerminal } from '../../../../millrace/test/support/processes/recorded-terminal.ts'
import {
  envelopesOf,
  pieces,
  runConvert,
} from '../../../../millrace/test/support/protocols/run-convert.ts'
import { encodeEnvelope } from 'millrace'
import { runCommand } from '../run-command.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-'))
})
afterEach(() => rm(folder, { recursive: true }))

test('converted output is written before the rest of the input arrives', async () => {
  const body = fixtures['anthropic'] ?? ''
  const half = body.indexOf('event: message_delta')
  let writtenBefore = ''
  async function* slowly(): AsyncGenerator<Uint8Array> {
    yield new TextEncoder().encode(body.slice(0, half))
    writtenBefore = terminal.written.join('')
    yield new TextEncoder().encode(body.slice(half))
  }
  const terminal = createRecordedTerminal({}, slowly())
  await runCommand(['convert', '--from', 'anthropic', '--to', 'text'], terminal)
  expect(writtenBefore).toContain('night.')
})

test.each(Object.entries(fixtures))(
  '%s that was interrupted is reported in a line, and its content is written',
  async (from, body) => {
    const args = ['--from', from, '--to', 'json']
    const frames = body.split(/(?<=\n\n)/)
    const cut = frames.slice(0, frames.length / 2).join('')
    const { code, complaints, output } = await runConvert(pieces(cut, 64), ...args)
    expect(complaints).toMatch(/^The input .*\btruncated\b.*$/)
    expect(output).not.toBe('')
    expect(code).toBe(0)
    expect((await runConvert(pieces(body, 64), ...args)).complaints).not.toContain('truncated')
  },
)

test('plain XML that ends within a block may be incomplete', async () => {
  const args = ['--from', 'xml', '--to', 'text']
  const whole = '<content-block-text>The wheel</content-block-text>'
  const { code, complaints } = await runConvert(pieces(whole.slice(0, 25), 9), ...args)
  expect(complaints).toBe('The input ends within a block; it may be truncated.')
  expect(code).toBe(0)
  expect((await runConvert(pieces(`${whole}\n`, 9), ...args)).complaints).toBe('')
})

test('a file is converted to a file; a last frame without its blank line counts', async () => {
  const [input, output] = [join(folder, 'in.sse'), join(folder, 'out.txt')]
  await writeFile(input, (fixtures['anthropic'] ?? '').slice(0, -1))
  const args = ['--from', 'anthropic', '--to', 'json', input, '--out', output]
  expect(await runConvert(pieces('', 1), ...args)).toEqual({ code: 0, output: '', complaints: '' })
  const types = envelopesOf(await readFile(output, 'utf8')).map(({ type }) => type)
  expect(types).not.toContain('error')
  expect(types.at(-1)).toBe('meta_end')
})

test.each<[string, string, string[], RegExp, number]>([
  ['no format', '', [], /--to is missing; it must be one of json, xml, anthropic/, 2],
  [
    'an unknown one',
    'x',
    ['--from', 'json', '--to', 'yaml'],
    /--to cannot be "yaml"; it must be one/,
    2,
  ],
  ['a name of Object', 'x', ['--from', 'toString', '--to', 'xml'], /--from cannot be/, 2],
  ['lines of xml', 'x', ['--from', 'json', '--to', 'xml', '--lines'], /--lines cannot be used/, 2],
  ['a low limit', 'x', ['--from', 'json', '--to', 'json', '--limit', '9'], /at least 512/, 2],
  ['two files', '', ['--from', 'json', '--to', 'xml', 'a', 'b'], /Only one file/, 2],
  [
    'one file twice',
    '',
    ['--from', 'json', '--to', 'xml', 'a', '--out', './a'],
    /must not be the input file/,
    2,
  ],
  ['no file', '', ['--from', 'json', '--to', 'xml', '/none/x'], /\/none\/x cannot be read/, 1],
  [
    'no place',
    '{"type":"text","agent":"a","final":true,"delta":""}',
    ['--from', 'json', '--to', 'json', '--out', '/none/x'],
    /cannot be written/,
    1,
  ],
  ['nothing', '', ['--from', 'json', '--to', 'xml'], /Standard input is empty/, 1],
  [
    'json for anthropic',
    fixtures['json'] ?? '',
    ['--from', 'anthropic', '--to', 'xml'],
    /looks like json; use --from json/,
    2,
  ],
  [
    'anthropic for json',
    fixtures['anthropic'] ?? '',
    ['--from', 'json', '--to', 'xml'],
    /looks like anthropic/,
    2,
  ],
  [
    'openai for anthropic',
    fixtures['openai'] ?? '',
    ['--from', 'anthropic', '--to', 'xml'],
    /looks like openai/,
    2,
  ],
  [
    'xml for openai',
    fixtures['xml'] ?? '',
    ['--from', 'openai', '--to', 'xml'],
    /looks like xml/,
    2,
  ],
  [
    'a bad line',
    `${encodeEnvelope(runEnvelopes[0]!)}\n{"type":"te`,
    ['--from', 'json', '--to', 'xml'],
    /Frame 2 of the input: Not an envelope/,
    1,
  ],
  [
    'a bad event',
    '{"type":"ping"}\n{"typ',
    ['--from', 'anthropic', '--to', 'raw'],
    /Event 2 of the input is not an event/,
    1,
  ],
])('%s is an error with a message', async (_what, input, args, message, expected) => {
  const { code, complaints } = await runConvert(pieces(input, 1 << 16), ...args)
  expect(complaints).toMatch(message)
  expect(code).toBe(expected)
})

test('a failure leaves no file behind', async () => {
  const output = join(folder, 'out')
  await runConvert(pieces('{"a":1}', 9), '--from', 'json', '--to', 'xml', '--out', output)
  await expect(readFile(output)).rejects.toThrow(/ENOENT/)
})
