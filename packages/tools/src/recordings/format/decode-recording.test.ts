import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decodeRecording, type Recording } from '../index.ts'
import { encodeRecording } from './encode-recording.ts'

const tenths = fc.nat({ max: 1_000_000 }).map((value) => value / 10)
const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 20 }),
  fc.string({ unit: 'grapheme' }).map((text) => new TextEncoder().encode(`\uFEFF${text}\u2028`)),
)
const headers = fc.dictionary(
  fc.constantFrom('content-type', 'request-id', 'x-other', '__proto__'),
  fc.string(),
  { noNullPrototype: true },
)
const body = fc.oneof(
  bytes.map((content) => ({ bytes: content })),
  fc.nat().map((omittedBytes) => ({ omittedBytes })),
)

const recording: fc.Arbitrary<Recording> = fc
  .record(
    {
      request: fc.record(
        {
          method: fc.constantFrom('GET', 'POST'),
          path: fc.webPath(),
          headers,
          body,
          hasPrompts: fc.boolean(),
        },
        { requiredKeys: ['method', 'path', 'headers', 'hasPrompts'] },
      ),
      response: fc.record({ status: fc.integer({ min: 200, max: 599 }), headers, waitMs: tenths }),
      at: fc.constant('2026-01-02T03:04:05.678Z'),
      chunks: fc.array(fc.record({ ms: tenths, bytes })),
      end: fc.constantFrom('complete', 'cut', 'error'),
      endMs: tenths,
    },
    { requiredKeys: ['response', 'chunks', 'end', 'endMs'], noNullPrototype: true },
  )
  .map((value) => value as Recording)

test('decodes a recording to the value that was encoded', () => {
  fc.assert(
    fc.property(recording, (value) => {
      expect(decodeRecording(encodeRecording(value))).toEqual(value)
      expect(decodeRecording(new TextEncoder().encode(encodeRecording(value)))).toEqual(value)
    }),
  )
})

test('a recording cut anywhere after its first line decodes as cut', () => {
  fc.assert(
    fc.property(recording, fc.nat(), (value, at) => {
      const text = encodeRecording(value)
      const first = text.indexOf('\n') + 1
      const last = text.lastIndexOf('\n', text.length - 2) + 1
      const cut = decodeRecording(text.slice(0, first + (at % Math.max(1, last - first + 1))))
      expect(cut.end).toBe('cut')
      expect(value.chunks.slice(0, cut.chunks.length)).toEqual(cut.chunks)
    }),
  )
})

const head = '{"recording":1,"response":{"status":200}}'

test('ignores unknown fields', () => {
  const lines = [
    '{"recording":1,"new":{},"request":{"method":"POST","path":"/","tls":1},"response":{"status":200,"http":2}}',
    '{"ms":1,"text":"a","port":7}',
    '{"end":"complete","ms":2,"why":"it was over"}',
  ]
  expect(decodeRecording(lines.join('\n'))).toMatchObject({
    request: { method: 'POST', path: '/', headers: {} },
    chunks: [{ ms: 1, bytes: new TextEncoder().encode('a') }],
    end: 'complete',
    endMs: 2,
  })
})

test.each([
  ['nothing', '', 'line 1: the file is empty'],
  ['a newer version', '{"recording":2}', 'line 1: recording is 2, and only version 1'],
  ['no response', '{"recording":1}', 'line 1: response is missing'],
  [
    'a status that is none',
    '{"recording":1,"response":{"status":"ok"}}',
    'response.status must be',
  ],
  [
    'headers that are none',
    '{"recording":1,"response":{"status":200,"headers":[]}}',
    'response.headers',
  ],
  ['a header that is none', '{"recording":1,"response":{"status":200,"headers":{"a":1}}}', '"a"'],
  [
    'a body that is none',
    `{"recording":1,"request":{"method":"A","path":"/","body":1}}`,
    'request.body',
  ],
  ['a request without path', `{"recording":1,"request":{"method":"A"}}`, 'request.path'],
  [
    'a line that is not JSON',
    `${head}\nhello\n{"ms":1,"text":""}`,
    'line 2: this is not a JSON object',
  ],
  ['a line that is no chunk', `${head}\n{"ms":1}\n`, 'line 2: this is neither a chunk'],
  ['base64 that is none', `${head}\n{"ms":1,"base64":"!"}\n`, 'line 2: this is neither a chunk'],
  ['a chunk without time', `${head}\n{"text":"a"}\n`, 'line 2: ms must be a number'],
  [
    'an end that is none',
    `${head}\n{"end":"over","ms":1}\n`,
    'line 2: end is "over"; it must be one of',
  ],
  [
    'more behind the end',
    `${head}\n{"end":"cut","ms":1}\n\n${head}\n`,
    'line 4: data follows the end',
  ],
  ['a list', '{"type":"ping"}\n[1]', 'line 2: this is not an event'],
])('rejects %s with the line and the remedy', (_, text, words) => {
  expect(() => decodeRecording(text, { name: 'mill.jsonl' })).toThrow(
    expect.objectContaining({
      code: 'recording_malformed',
      message: expect.stringMatching(`^mill.jsonl, `),
    }),
  )
  expect(() => decodeRecording(text)).toThrow(words)
})

const textOf = ({ chunks }: Recording): string[] =>
  chunks.map(({ bytes: content }) => new TextDecoder('utf-8', { ignoreBOM: true }).decode(content))

describe('plain bodies', () => {
  test('server-sent events are one chunk each, byte for byte', () => {
    const events = [
      '\uFEFFevent: a\ndata: 1\n\n',
      ': ping\r\n\r\n',
      'data: 2\r\r',
      'data: 3\n\n',
      'data: cut',
    ]
    const decoded = decodeRecording(events.join(''))
    expect(textOf(decoded)).toEqual(events)
    expect(decoded).toMatchObject({
      response: { status: 200, headers: { 'content-type': 'text/event-stream; charset=utf-8' } },
      end: 'complete',
      endMs: 0,
    })
    expect(decoded.request).toBeUndefined()
  })

  test('any body is restored completely', () => {
    const line = fc.constantFrom('data: x', ': y', '', 'event: z')
    const end = fc.constantFrom('\n', '\r\n', '\r')
    const lines = fc.array(fc.tuple(line, end).map(([text, close]) => text + close))
    fc.assert(
      fc.property(lines, fc.constantFrom('data: last', ': no end'), (parts, last) => {
        expect(textOf(decodeRecording(parts.join('') + last)).join('')).toBe(parts.join('') + last)
      }),
    )
  })

  test('frames one event per line as the APIs frame them', () => {
    const lines = ['{"type":"ping"}', '', '{"type":"message_stop"}', '']
    expect(textOf(decodeRecording(lines.join('\n')))).toEqual([
      'event: ping\ndata: {"type":"ping"}\n\n',
      'event: message_stop\ndata: {"type":"message_stop"}\n\n',
    ])
    const done = 'data: [DONE]\n\n'
    const chunk = '{"object":"chat.completion.chunk"}'
    expect(textOf(decodeRecording(chunk))).toEqual([`data: ${chunk}\n\n`, done])
    expect(textOf(decodeRecording(`${chunk}\n[DONE]\n`))).toEqual([`data: ${chunk}\n\n`, done])
  })
})
