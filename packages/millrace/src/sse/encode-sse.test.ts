import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isMillraceError } from '../errors/index.ts'
import {
  createSseDecoder,
  DONE_DATA,
  DONE_FRAME,
  encodeSse,
  frameLines,
  HEARTBEAT_FRAME,
  SSE_HEADERS,
  type SseEvent,
  type SseFrame,
} from './index.ts'

const encoder = new TextEncoder()

function decode(stream: string | Uint8Array): SseEvent[] {
  const events: SseEvent[] = []
  createSseDecoder({ onEvent: (event) => events.push(event) }).feed(stream)
  return events
}

const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc
    .array(fc.constantFrom('\r', '\n', '\r\n', '\0', ' ', ':', 'data: ', 'a', '😀'))
    .map((parts) => parts.join('')),
)
const fieldText = fc.string({ unit: 'binary' }).filter((text) => !/[\r\n\0]/.test(text))

/** Text of a line-oriented stream: all line ends are LF. */
function toLines(text: string): string {
  return text.replace(/\r\n?/g, '\n')
}

test('decodes encoded frames, with CR and CRLF in data as LF', () => {
  fc.assert(
    fc.property(anyText, fieldText, fieldText, (data, id, event) => {
      const expected = { data: toLines(data), id, event: event || undefined }
      expect(decode(encodeSse({ data, id, event }))).toEqual([expected])
    }),
    { numRuns: 1000 },
  )
})

test('encodes a lone surrogate as U+FFFD', () => {
  const [event] = decode(encoder.encode(encodeSse({ data: 'a\ud800b' })))
  expect(event?.data).toBe('a\ufffdb')
})

test('writes fields in a fixed order and omits absent ones', () => {
  expect(encodeSse({ data: '{}', id: 7, event: 'tick', retryMs: 1000 })).toBe(
    'id: 7\nevent: tick\nretry: 1000\ndata: {}\n\n',
  )
  expect(encodeSse({ retryMs: 1000 })).toBe('retry: 1000\n\n') // [SSE-4]
  expect(encodeSse({ data: '' })).toBe('data: \n\n')
})

describe('[SSE-8] prevents CR, LF and NUL in a field', () => {
  const refusalOf = (frame: SseFrame): string | undefined => {
    try {
      encodeSse(frame)
      return undefined
    } catch (error) {
      return isMillraceError(error) ? error.code : String(error)
    }
  }

  test('rejects them in an id or an event', () => {
    fc.assert(
      fc.property(fieldText, fc.constantFrom('\r', '\n', '\r\n', '\0'), fieldText, (a, end, b) => {
        expect(refusalOf({ data: '', id: a + end + b })).toBe('bad_request')
        expect(refusalOf({ data: '', event: a + end + b })).toBe('bad_request')
      }),
    )
  })

  test('rejects a retryMs that is not a whole number of milliseconds', () => {
    for (const retryMs of [-1, 1.5, NaN, Infinity, 1e21]) {
      expect(refusalOf({ retryMs })).toBe('bad_request')
    }
  })
})

test('[SSE-2] frames a line of bytes like its text', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), fc.json(), (id, line) => {
      const frame = frameLines([{ id, line: encoder.encode(line) }])
      expect(new TextDecoder().decode(frame)).toBe(encodeSse({ id, data: line }))
    }),
  )
})

test('[SSE-5] ends with [DONE] without an id', () => {
  expect(decode(DONE_FRAME)).toEqual([{ data: DONE_DATA, event: undefined, id: undefined }])
})

test('[SSE-3] encodes a heartbeat as a comment', () => {
  expect(decode(HEARTBEAT_FRAME)).toEqual([])
  expect(HEARTBEAT_FRAME).toBe(': ping\n\n')
})

test('sets headers that prevent buffering by proxies', () => {
  const headers = new Headers(SSE_HEADERS)
  expect(headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
  expect(headers.get('cache-control')).toContain('no-transform')
  expect(headers.get('x-accel-buffering')).toBe('no')
  expect(headers.has('connection')).toBe(false)
})
