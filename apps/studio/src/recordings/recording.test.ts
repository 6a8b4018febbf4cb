import { existsSync, readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { encodeEnvelope, encodeSse } from 'millrace'
import { encodeRecording } from 'millrace-tools/recordings'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createFrameLog } from '../session/frames/frame-log.ts'
import { encodeFrames } from './encode-frames.ts'
import { readRecording } from './read-recording.ts'
import type { RecordedItem } from './recorded-item.ts'

async function read(content: string | Uint8Array<ArrayBuffer>): Promise<readonly RecordedItem[]> {
  const items: RecordedItem[] = []
  const onFrame = ({ event: _, ...item }: RecordedItem) => items.push(item)
  await readRecording(new Blob([content]), { name: 'run.txt', onFrame })
  return items
}

const message = fc
  .record({ final: fc.boolean(), delta: fc.string({ unit: 'grapheme', maxLength: 2_000 }) })
  .map((fields) => encodeEnvelope({ type: 'text', agent: 'a', ...fields }))
const messages = fc.array(message, { minLength: 1, maxLength: 30 })

describe('a file written by Studio', () => {
  const frame = fc.record({
    data: message,
    step: fc.nat(3),
    isTimed: fc.boolean(),
    merged: fc.nat(2),
    hasId: fc.boolean(),
  })
  test('gives the same frames with the same times', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(frame, { minLength: 1 }), async (plan) => {
        const log = createFrameLog({ schedule: (callback) => callback() })
        let time = 1_700_000_000_000
        for (const [index, { data, step, isTimed, merged, hasId }] of plan.entries()) {
          time += step
          log.add(
            { id: hasId ? index + 1 : undefined, data },
            { time, since: time - merged, isTimed },
          )
        }
        log.add({ id: undefined, data: '[DONE]' }, { time })
        const { frames } = log.getSnapshot()
        const again = createFrameLog({ schedule: (callback) => callback() })
        for (const { id, data, ...when } of await read(encodeFrames(frames))) {
          again.add({ id, data }, when)
        }
        const times = (each: (typeof frames)[number]) =>
          each.isTimed ? each : { ...each, time: 0, since: 0 }
        expect(again.getSnapshot().frames.map(times)).toEqual(frames.map(times))
      }),
    )
  })
})

describe('opens', () => {
  test('an exported session as events, as a document in any layout, and as lines', async () => {
    await fc.assert(
      fc.asyncProperty(messages, async (lines) => {
        const items = lines.map((data, index) => ({ id: index + 1, data, isTimed: false }))
        const sse = items.map(({ id, data }) => encodeSse({ id, data })).join('')
        const rows = items.map(({ id, data }) => `{"id":${id},"message":${data}}`)
        const document = `{"session":{},\n"conversations":[\n{}],\n"messages":[\n${rows.join(',\n')}]}\n`
        expect(await read(sse)).toEqual(items)
        expect(await read(`\ufeff${sse}`)).toEqual(items)
        expect(await read(document)).toEqual(items)
        expect(await read(JSON.stringify(JSON.parse(document), null, 2))).toEqual(items)
        expect(await read(lines.join('\n'))).toEqual(
          lines.map((data) => ({ data, isTimed: false })),
        )
      }),
      { numRuns: 30 },
    )
  })

  const answer = [
    {
      type: 'message_start',
      message: { id: 'm', model: 'claude', role: 'assistant', content: [] },
    },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 3 } },
    { type: 'message_stop' },
  ].map((event) => encodeSse({ event: event.type, data: JSON.stringify(event) }))

  const typesOf = (items: readonly RecordedItem[]) =>
    items.map(({ data }) => /"type":"(\w+)"/.exec(data)?.[1] ?? data)
  const expectedTypes = ['meta_init', 'text', 'text', 'meta_step', 'meta_end', '[DONE]']

  test('a raw stream of Anthropic', async () => {
    expect(typesOf(await read(answer.join('')))).toEqual(expectedTypes)
  })

  test('a raw stream of OpenAI', async () => {
    const chunks = [
      { id: 'c', model: 'gpt', choices: [{ index: 0, delta: { content: 'Hello' } }] },
      { id: 'c', model: 'gpt', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
    ].map((chunk) => encodeSse({ data: JSON.stringify(chunk) }))
    expect(typesOf(await read([...chunks, 'data: [DONE]\n\n'].join('')))).toEqual(expectedTypes)
  })

  const sseOf = (events: readonly object[]): string =>
    events.map((event) => encodeSse({ data: JSON.stringify(event) })).join('')

  test('a UI message stream of the AI SDK', async () => {
    const chunks = [
      { type: 'start', messageId: 'm' },
      { type: 'start-step' },
      { type: 'text-start', id: 't' },
      { type: 'text-delta', id: 't', delta: 'Hello' },
      { type: 'text-end', id: 't' },
      { type: 'finish-step' },
      { type: 'finish', finishReason: 'stop' },
    ]
    const items = await read(`: at 1000\n${sseOf(chunks)}data: [DONE]\n\n`)
    expect(typesOf(items)).toEqual(expect.arrayContaining(['meta_init', 'text', 'meta_end']))
    expect(typesOf(items).at(-1)).toBe('[DONE]')
    expect(items.every(({ time }) => time === 1_000)).toBe(true)
    expect(items.some(({ data }) => data.includes('Hello'))).toBe(true)
  })

  test('a stream of AG-UI', async () => {
    const events = [
      { type: 'RUN_STARTED', threadId: 't', runId: 'r' },
      { type: 'TEXT_MESSAGE_START', messageId: 'm', role: 'assistant' },
      { type: 'TEXT_MESSAGE_CONTENT', messageId: 'm', delta: 'Hello' },
      { type: 'TEXT_MESSAGE_END', messageId: 'm' },
      { type: 'RUN_FINISHED', threadId: 't', runId: 'r' },
    ]
    const types = typesOf(await read(sseOf(events)))
    expect(types).toEqual(expect.arrayContaining(['meta_init', 'text', 'meta_end']))
    expect(types.at(-1)).toBe('[DONE]')
  })

  test('segment events and legacy XML', async () => {
    const segments = [
      { type: 'SEGMENT_START', segment_id: 's', segment_type: 'text', payload: { metadata: {} } },
      { type: 'SEGMENT_CONTENT', segment_id: 's', payload: { delta: 'Hello' } },
      { type: 'SEGMENT_END', segment_id: 's', payload: {} },
    ]
    const xml = '<content-block-text>Hello</content-block-text>'
    for (const content of [sseOf(segments), `${encodeSse({ data: xml })}data: [DONE]\n\n`]) {
      const items = await read(content)
      expect(items.some(({ data }) => data.includes('Hello'))).toBe(true)
      expect(typesOf(items).at(-1)).toBe('[DONE]')
    }
  })

  test('a recorded exchange, with its times and its prompt', async () => {
    const encoder = new TextEncoder()
    const body = { messages: [{ role: 'user', content: 'Hi there' }] }
    const recording = encodeRecording({
      at: '2026-01-02T03:04:05.000Z',
      request: {
        method: 'POST',
        path: '/v1/messages',
        headers: {},
        body: { bytes: encoder.encode(JSON.stringify(body)) },
        hasPrompts: true,
      },
      response: { status: 200, headers: { 'content-type': 'text/event-stream' }, waitMs: 500 },
      chunks: answer.map((text, index) => ({ ms: index * 100, bytes: encoder.encode(text) })),
      end: 'complete',
      endMs: 900,
    })
    const items = await read(recording)
    const start = Date.parse('2026-01-02T03:04:05.000Z')
    expect(typesOf(items)).toEqual(expectedTypes)
    expect(items.map(({ time = 0 }) => time - start)).toEqual([0, 700, 800, 1_000, 1_000, 1_000])
    expect(items[0]?.data).toContain('Hi there')
  })

  test('recordings of other tools', { timeout: 60_000 }, async () => {
    const folder = fileURLToPath(new URL('../../../../../shared/recordings/', import.meta.url))
    if (!existsSync(folder)) return
    for (const file of readdirSync(folder)
      .filter((name) => name.endsWith('.sse'))
      .slice(0, 60)) {
      const bytes = new Uint8Array(await readFile(folder + file))
      expect(typesOf(await read(bytes)).at(-1), file).toBe('[DONE]')
    }
  })
})

test('returns the name of a converted format', async () => {
  const titleOf = (data: string) =>
    readRecording(new Blob([encodeSse({ data })]), { name: 'run.sse', onFrame: () => {} })
  expect(await titleOf('{"type":"text","agent":"a","final":true,"delta":"x"}')).toBeUndefined()
  expect(await titleOf('{"type":"start","messageId":"m"}')).toBe('An AI SDK stream')
  expect(await titleOf('{"type":"RUN_STARTED","threadId":"t","runId":"r"}')).toBe('An AG-UI stream')
})

test.each([
  ['', 'it is empty'],
  ['Dear diary', 'does not look like a recording'],
  ['\u0000\u0001\u0002', 'does not look like a recording'],
  ['{"a":1}\n', 'first message has an unknown format'],
  ['data: hello\n\n', 'first message has an unknown format'],
  [': only a comment\n\n', 'it contains no messages'],
  ['{"session":{},\n"messages":[]}', 'it contains no messages'],
  ['{"session":{},', 'it is truncated'],
  ['{"recording":1,"response":{"status":500}}\n', 'status 500'],
  ['{"recording":1,"response":{"status":200}}\n\n{"odd":1}\n{"ms":1}', 'line 3'],
])('explains the problem of %j', async (content, message) => {
  await expect(read(content)).rejects.toThrow(message)
})

test('stops when it is aborted', async () => {
  const content = new Blob([
    encodeSse({ data: '{"type":"text","agent":"a","final":false,"delta":"x"}' }).repeat(50_000),
  ])
  const stop = new AbortController()
  const parts: number[] = []
  const reading = readRecording(content, {
    name: 'long.sse',
    onFrame: () => {},
    signal: stop.signal,
    onProgress(part) {
      parts.push(part)
      if (part > 0.3) stop.abort()
    },
  })
  await expect(reading).rejects.toThrow()
  expect(parts.at(-1)).toBeLessThan(0.9)
})
