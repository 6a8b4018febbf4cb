import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  blockDelta,
  blockStart,
  messageEnd,
  messageStart,
  textBlock,
  toBody,
  toolBlock,
} from '../../../../millrace/test/support/models/anthropic-events.ts'
import { createRecordedTerminal } from '../../../../millrace/test/support/processes/recorded-terminal.ts'
import type { JsonObject } from 'millrace'
import type { Recording as RecordedExchange } from '../../recordings/index.ts'
import { encodeRecording } from '../../recordings/format/encode-recording.ts'
import { runCommand } from '../../cli/run-command.ts'
import { loadRecordings } from './load-recordings.ts'
import { recordingChecks, runRecordings } from './run-recordings.ts'

const message = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'model-1',
  stop_sequence: null,
}
const start = messageStart({ ...message, usage: { input_tokens: 1, output_tokens: 1 } })
const events = [start, ...textBlock(0, 'grüße'), ...toolBlock(1, 'f', '{"a":', '1}')]
const body = [...events, ...messageEnd('tool_use')]
const golden = {
  ...message,
  content: [
    { type: 'text', text: 'grüße' },
    { type: 'tool_use', id: 'toolu_1', name: 'f', input: { a: 1 } },
  ],
  stop_reason: 'tool_use',
  usage: { input_tokens: 1, output_tokens: 9 },
}

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-'))
  await mkdir(join(folder, 'golden'))
  await mkdir(join(folder, 'synthetic'))
})
afterEach(() => rm(folder, { recursive: true }))

const write = (file: string, text: string) => writeFile(join(folder, file), text)
const writeGolden = (name: string, received: JsonObject) =>
  write(`golden/${name}.json`, JSON.stringify({ flags: [], ...received }))

async function run() {
  const terminal = createRecordedTerminal()
  const code = await runCommand(['conformance', '--recordings', folder], terminal)
  return { code, output: terminal.printed.join('\n') }
}

test('frames and lines, with and without their last blank line, give the message of the SDK', async () => {
  await write('a.sse', toBody(body))
  await write('b.sse', toBody(body).trimEnd())
  await write('c.jsonl', body.map((event) => JSON.stringify(event)).join('\n'))
  for (const name of ['a', 'b', 'c']) await writeGolden(name, { ok: true, message: golden })
  await write('d.jsonl', [...body, ...body].map((event) => JSON.stringify(event)).join('\n'))
  await writeGolden('d', { ok: true, messages: [{ message: golden }, { message: golden }] })
  await write('synthetic/open.sse', toBody(events.slice(0, -1)))
  const { code, output } = await run()
  expect(output).toMatch(/same message as the official SDK +4 +5 +0\n/)
  expect(output).toMatch(/one end at every cut +5 +\d+ +0\n/)
  expect(output).toMatch(/5 recordings, 0 failed$/)
  expect(code).toBe(0)
})

describe('a file of millrace record', () => {
  const record = (text: string, received: Partial<RecordedExchange> = {}) =>
    encodeRecording({
      response: { status: 200, headers: { 'content-type': 'text/event-stream' }, waitMs: 0 },
      chunks: [{ ms: 0, bytes: new TextEncoder().encode(text) }],
      end: 'complete',
      endMs: 0,
      ...received,
    })

  test('is checked as the stream that it contains', async () => {
    await write('a.jsonl', record(toBody(body)))
    await writeGolden('a', { ok: true, message: golden })
    await write('cut.jsonl', record(toBody(body).slice(0, -9), { end: 'cut' }))
    const { code, output } = await run()
    expect(output).toMatch(/same message as the official SDK +1 +1 +0\n/)
    expect(output).toMatch(/one end at every cut +2 +\d+ +0\n/)
    expect(code).toBe(0)
    const loaded = await loadRecordings(folder)
    expect(loaded.map(({ body: { length } }) => length)).toEqual([
      Buffer.byteLength(toBody(body)),
      Buffer.byteLength(toBody(body)) - 9,
    ])
  })

  test('is skipped, and named, if it is no stream of the Messages API', async () => {
    await write('a.jsonl', record(toBody(body)))
    await write('chat.jsonl', record('data: {"choices":[]}\n\n'))
    const headers = { 'content-type': 'application/json' }
    await write('count.jsonl', record('{}', { response: { status: 404, headers, waitMs: 0 } }))
    const { code, output } = await run()
    expect(output).toContain('Not checked: chat has no message_start')
    expect(output).toContain('Not checked: count answered 404, application/json')
    expect(output).toMatch(/1 recordings, 0 failed$/)
    expect(code).toBe(0)
  })

  test('is reported if it is damaged, as is a golden file', async () => {
    await write('a.jsonl', `${record('').split('\n')[0]}\n{}\n{}\n`)
    await expect(loadRecordings(folder)).rejects.toThrow(
      /a\.jsonl, line 2: this is neither a chunk/,
    )
    await write('a.jsonl', record(toBody(body)))
    await write('golden/a.json', '{')
    await expect(loadRecordings(folder)).rejects.toThrow(/golden.a\.json is not a JSON object/)
  })
})

test('another message than the SDK’s is shown and fails', async () => {
  await write('a.sse', toBody(body))
  await writeGolden('a', { ok: true, message: { ...golden, stop_reason: 'end_turn' } })
  const { code, output } = await run()
  expect(output).toMatch(
    /✗ a \(same message as the official SDK\): message 1.stop_reason: expected "end_turn", found "tool_use"/,
  )
  expect(code).toBe(1)
})

test('a message that the SDK does not return fails', async () => {
  await write('a.sse', toBody([...body, ...body]))
  await writeGolden('a', { ok: true, message: golden })
  const { code, output } = await run()
  expect(output).toContain('messages: expected 1, found 2')
  expect(code).toBe(1)
})

test('a stream for which the SDK is wrong or returns nothing is named and not compared', async () => {
  const cut = blockStart(2, { type: 'tool_use', id: 't', name: 'f', input: {} })
  const delta = blockDelta(2, 'input_json_delta', { partial_json: '{"a": "b' })
  await write(
    'incomplete_partial_json.sse',
    toBody([start, cut, delta, ...messageEnd('max_tokens')]),
  )
  await writeGolden('incomplete_partial_json', { ok: true, message: golden })
  await write('error.sse', toBody([start, { type: 'error', error: { type: 'x' } }]))
  await writeGolden('error', { ok: false, error: 'APIError: x' })
  const { code, output } = await run()
  expect(output).toContain('  incomplete_partial_json: drops the unfinished string')
  expect(output).toContain('  error: gives no message: APIError: x')
  expect(code).toBe(0)
})

test('a missing folder is reported, one without recordings fails', async () => {
  expect((await run()).code).toBe(1)
  const terminal = createRecordedTerminal()
  expect(await runCommand(['conformance', '--recordings', join(folder, 'no')], terminal)).toBe(1)
  expect(terminal.complaints.join()).toMatch(/cannot be read; name a folder of recordings/)
})

// Beside the repository, not part of it.
const shared = fileURLToPath(new URL('../../../../../../shared/recordings/', import.meta.url))

describe.skipIf(!existsSync(shared))('real recordings', () => {
  test('a part of them satisfies every check', { timeout: 60_000 }, async () => {
    const all = await loadRecordings(shared)
    const some = all.filter(({ body: { length } }, place) => place % 5 === 0 && length < 30_000)
    const summaries = await runRecordings(some)
    expect(summaries.flatMap(({ faults }) => faults)).toEqual([])
    expect(summaries.map(({ cases }) => cases > 0)).toEqual(recordingChecks.map(() => true))
  })
})
