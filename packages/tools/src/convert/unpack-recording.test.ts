import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fixtures } from '../../../millrace/test/support/protocols/convert-fixtures.ts'
import {
  convert,
  pieces,
  runConvert,
} from '../../../millrace/test/support/protocols/run-convert.ts'
import type { JsonObject } from 'millrace'
import type { Recording } from '../recordings/index.ts'
import { encodeRecording } from '../recordings/format/encode-recording.ts'

const encoder = new TextEncoder()
const sse = { 'content-type': 'text/event-stream' }

/** The file of `millrace record` for a body in these chunks. */
function record(chunks: readonly string[], received: Partial<Recording> = {}): string {
  return encodeRecording({
    request: { method: 'POST', path: '/v1/messages', headers: {}, hasPrompts: true },
    response: { status: 200, headers: sse, waitMs: 1 },
    chunks: chunks.map((text, ms) => ({ ms, bytes: encoder.encode(text) })),
    end: 'complete',
    endMs: chunks.length,
    ...received,
  })
}

const halves = (text: string) => [text.slice(0, text.length / 2), text.slice(text.length / 2)]

describe('a recording', () => {
  test.each(Object.keys(fixtures))('of %s gives the same output as its body', async (format) => {
    const body = fixtures[format] ?? ''
    const expected = await convert(body, format, 'json')
    const recorded = record(halves(body))
    expect(await convert(recorded, format, 'json')).toBe(expected)
    const args = ['--from', format, '--to', 'json'] as const
    expect((await runConvert(pieces(recorded, 7), ...args)).output).toBe(expected)
  })

  test('restores the bytes of its body, for any chunks', async () => {
    const body = fixtures['anthropic'] ?? ''
    const bytes = encoder.encode(body)
    const cuts = fc.uniqueArray(fc.integer({ min: 1, max: bytes.length - 1 }), { maxLength: 9 })
    await fc.assert(
      fc.asyncProperty(cuts, async (places) => {
        const ends = [...places.toSorted((one, other) => one - other), bytes.length]
        const chunks = ends.map((to, at) => ({ ms: at, bytes: bytes.slice(ends[at - 1] ?? 0, to) }))
        const output = await convert(record([], { chunks }), 'anthropic', 'raw')
        expect(output).toBe(await convert(body, 'anthropic', 'raw'))
      }),
      { numRuns: 30 },
    )
  })

  test('that was interrupted is reported as such', async () => {
    const recorded = record(halves(fixtures['anthropic'] ?? '').slice(0, 1), { end: 'cut' })
    const args = ['--from', 'anthropic', '--to', 'raw'] as const
    const { code, output, complaints } = await runConvert(pieces(recorded, 1 << 16), ...args)
    expect(code).toBe(0)
    expect(output).toContain('event: message_start')
    expect(complaints).toContain('The recording is incomplete (cut)')
  })

  test('of an error is rejected, with its status', async () => {
    const response = { status: 429, headers: {}, waitMs: 0 }
    const args = ['--from', 'anthropic', '--to', 'json'] as const
    const recorded = record(['{"type":"error"}'], { response })
    expect(await runConvert(pieces(recorded, 1 << 16), ...args)).toMatchObject({
      code: 1,
      output: '',
      complaints: expect.stringContaining(
        'Standard input has the response status 429 and no stream',
      ),
    })
  })

  test('that is damaged is reported with its line', async () => {
    const args = ['--from', 'anthropic', '--to', 'json'] as const
    const damaged = `${record([]).split('\n')[0]}\n{"ms":1}\n{"end":"complete","ms":1}\n`
    expect(await runConvert(pieces(damaged, 1 << 16), ...args)).toMatchObject({
      code: 1,
      complaints: expect.stringContaining('Standard input, line 2: this is neither a chunk'),
    })
  })
})

describe('a response that was not streamed', () => {
  const text = 'The wheel turns.'
  const completion: JsonObject = {
    id: 'c',
    object: 'chat.completion',
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }],
  }
  const message: JsonObject = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [{ type: 'text', text }],
    stop_reason: 'end_turn',
    usage: { input_tokens: 1, output_tokens: 4 },
  }

  test.each([
    ['openai', completion],
    ['anthropic', message],
  ])('of %s is read, on one line or on many, and recorded', async (format, answer) => {
    for (const input of [JSON.stringify(answer), JSON.stringify(answer, undefined, 2)]) {
      expect(await convert(input, format, 'text')).toBe(`${text}\n`)
      expect(await convert(record(halves(input)), format, 'text')).toBe(`${text}\n`)
    }
  })

  test('is a message with its end, also as events', async () => {
    const events = await convert(
      JSON.stringify(message, undefined, 2),
      'anthropic',
      'raw',
      '--lines',
    )
    expect(
      events
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as JsonObject),
    ).toEqual([{ type: 'message_start', message }, { type: 'message_stop' }])
  })
})
