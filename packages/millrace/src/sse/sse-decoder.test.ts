import { createParser } from 'eventsource-parser'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '../../test/support/runs.ts'
import { isMillraceError } from '../errors/index.ts'
import { createSseDecoder, type SseEvent } from './index.ts'
import type { SseDecoderOptions } from './event-decoder.ts'

type Call = SseEvent | { comment: string } | { retryMs: number }

interface Decoded {
  readonly calls: readonly Call[]
  readonly lastEventId: string
}

const encoder = new TextEncoder()

function decode(
  pieces: Iterable<Uint8Array | string>,
  options: Partial<SseDecoderOptions> = {},
): Decoded {
  const calls: Call[] = []
  const decoder = createSseDecoder({
    onEvent: (event) => calls.push(event),
    onComment: (comment) => calls.push({ comment }),
    onRetry: (retryMs) => calls.push({ retryMs }),
    ...options,
  })
  for (const piece of pieces) decoder.feed(piece)
  return { calls, lastEventId: decoder.lastEventId }
}

function dataOf(...pieces: (Uint8Array | string)[]): string[] {
  return decode(pieces).calls.flatMap((call) => ('data' in call ? [call.data] : []))
}

function cutAt<T extends { readonly length: number; slice(start: number, end?: number): T }>(
  whole: T,
  cuts: readonly number[],
): T[] {
  const places = [0, ...cuts.map((cut) => cut % (whole.length + 1)), whole.length]
  places.sort((a, b) => a - b)
  return places.slice(1).map((end, index) => whole.slice(places[index] ?? 0, end))
}

/** Texts of syntactically relevant parts, so that random ones cover all rules. */
const streamText = fc
  .array(
    fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom('\n', '\r', '\r\n', '\n\n') },
      { weight: 4, arbitrary: fc.constantFrom('data', 'event', 'id', 'retry', 'other', 'dat') },
      { weight: 4, arbitrary: fc.constantFrom(':', ': ', ' ', '  ') },
      { weight: 2, arbitrary: fc.constantFrom('data: x', 'id: 7', 'retry: 20', ': ping') },
      {
        weight: 1,
        arbitrary: fc.constantFrom('\0', '0', '12', '1a', 'é', '😀', '\ufeff', '{"a":1}'),
      },
      { weight: 1, arbitrary: fc.string({ unit: 'grapheme' }) },
    ),
    { maxLength: 60 },
  )
  .map((parts) => parts.join(''))

const cutList = fc.array(fc.nat(), { maxLength: 12 })

describe('[SSE-1] lines and events', () => {
  test('gives the same events, ids, comments and retries for any chunks of bytes', () => {
    fc.assert(
      fc.property(streamText, cutList, (text, cuts) => {
        const bytes = encoder.encode(text)
        const whole = decode([bytes])
        expect(decode(cutAt(bytes, cuts))).toEqual(whole)
        expect(decode(Array.from(bytes, (byte) => Uint8Array.of(byte)))).toEqual(whole)
      }),
      { numRuns: runs(1000, 100_000) },
    )
  })

  test('gives the same result for text as for its bytes', () => {
    fc.assert(
      fc.property(streamText, cutList, (text, cuts) => {
        const whole = decode([encoder.encode(text)])
        expect(decode(cutAt(text, cuts))).toEqual(whole)
        expect(decode(text.split(''))).toEqual(whole)
      }),
      { numRuns: runs(1000, 100_000) },
    )
  })

  test('agrees with an independent parser', () => {
    fc.assert(
      fc.property(streamText, cutList, (text, cuts) => {
        // The other parser waits after a final CR, and recognises a byte order mark only as three characters.
        const stream = `:${text}\n:end\n`
        const calls: Call[] = []
        const parser = createParser({
          onEvent: ({ data, event, id }) => calls.push({ data, event, id }),
          onComment: (comment) => calls.push({ comment }),
          onRetry: (retryMs) => calls.push({ retryMs }),
        })
        for (const piece of cutAt(stream, cuts)) parser.feed(piece)
        expect(decode([stream]).calls).toEqual(calls)
      }),
      { numRuns: runs(2000, 200_000) },
    )
  })

  test('decodes a character that is split across chunks', () => {
    const [head, tail] = [encoder.encode('data: {"d":"'), encoder.encode('"}\n')]
    const emoji = encoder.encode('😀')
    expect(dataOf(head, emoji.slice(0, 2), emoji.slice(2), tail, encoder.encode('\n'))).toEqual([
      '{"d":"😀"}',
    ])
  })

  test('ends lines at CR, LF and CRLF, also at a CRLF that is split across chunks', () => {
    expect(dataOf('data: a\r\n\r\ndata: b\r\rdata: c\r', '\n\r\n')).toEqual(['a', 'b', 'c'])
    expect(dataOf('data: a\n\rdata: b\r\n\n')).toEqual(['a', 'b'])
    expect(dataOf('data: a\r', '\n', 'data: b\r', '\n', '\r', '\n')).toEqual(['a\nb'])
  })

  test('ends an event at the CR of its blank line, without waiting for an LF', () => {
    const events: SseEvent[] = []
    const decoder = createSseDecoder({ onEvent: (event) => events.push(event) })
    decoder.feed('data: a\r\r')
    expect(events).toHaveLength(1)
    decoder.feed('\ndata: b\n\n')
    expect(events.map(({ data }) => data)).toEqual(['a', 'b'])
  })

  test('joins data lines with LF and removes one leading space', () => {
    expect(dataOf('data: a\ndata:  b\ndata:\ndata:c\n\n')).toEqual(['a\n b\n\nc'])
    expect(dataOf('data\n\ndata\ndata\n\ndata:\n\n')).toEqual(['', '\n', ''])
    expect(dataOf('data: a\n', 'data: b\n', 'data: c\n', '\n')).toEqual(['a\nb\nc'])
  })

  test('emits no event for heartbeats and unknown fields', () => {
    const text = ': keep-alive\n\nid: 7\nretry: 3000\nevent: message\ndata: x\n\nfoo: bar\n\n'
    expect(decode([text])).toEqual({
      calls: [
        { comment: 'keep-alive' },
        { retryMs: 3000 },
        { data: 'x', event: 'message', id: '7' },
      ],
      lastEventId: '7',
    })
  })

  test('matches field names exactly', () => {
    expect(dataOf('Data: a\ndata : b\n data: c\ndata\0: d\n\n')).toEqual([])
  })

  test('applies an event type to one event and treats an empty one as the default', () => {
    const text =
      'event: a\ndata: 1\n\ndata: 2\n\nevent: b\nevent:\ndata: 3\n\nevent: c\n\ndata: 4\n\n'
    const types = decode([text]).calls.map((call) => 'data' in call && call.event)
    expect(types).toEqual(['a', undefined, undefined, undefined])
  })

  test('keeps an id until the next one, resets it to empty, ignores one with NUL', () => {
    const decoder = createSseDecoder({ onEvent: () => {} })
    const after = (text: string) => {
      decoder.feed(text)
      return decoder.lastEventId
    }
    expect(after('id: 1\ndata: x\n\n')).toBe('1')
    expect(after('data: [DONE]\n\n')).toBe('1')
    expect(after('id: 2\0\ndata: x\n\n')).toBe('1')
    expect(after('id: 3\n\n')).toBe('3')
    expect(after('id\ndata: x\n\n')).toBe('')
  })

  test('gives an event the id of its own frame and sets lastEventId before it is emitted', () => {
    const seen: (string | undefined)[] = []
    const decoder = createSseDecoder({ onEvent: ({ id }) => seen.push(id, decoder.lastEventId) })
    decoder.feed('id: 1\ndata: x\n\ndata: [DONE]\n\n')
    expect(seen).toEqual(['1', '1', undefined, '1'])
  })

  test('accepts only digits for retry', () => {
    expect(decode(['retry: 10\nretry: 1s\nretry: -1\nretry: 1.5\nretry:\nretry\n']).calls).toEqual([
      { retryMs: 10 },
    ])
  })

  test('skips one byte order mark, only at the start', () => {
    const mark = '\ufeff'
    expect(dataOf(encoder.encode(`${mark}data: a\n\n`))).toEqual(['a'])
    expect(
      dataOf(...Array.from(encoder.encode(`${mark}data: a\n\n`), (byte) => Uint8Array.of(byte))),
    ).toEqual(['a'])
    expect(dataOf(`${mark}${mark}data: a\n\ndata: b\n\n`)).toEqual(['b'])
    expect(dataOf(`data: a\n${mark}data: b\n\n`)).toEqual(['a'])
    expect(dataOf('data: a\n', encoder.encode(`data: ${mark}b\n\n`))).toEqual([`a\n${mark}b`])
  })

  test('replaces invalid UTF-8 with U+FFFD', () => {
    expect(dataOf(Uint8Array.of(...encoder.encode('data: a'), 0xff, 0xc3, 0x0a, 0x0a))).toEqual([
      'a\ufffd\ufffd',
    ])
  })
})

describe('[SSE-6] drops an unfinished last event', () => {
  test('with its id, at any cut', () => {
    const text = 'id: 1\ndata: a\n\nid: 2\ndata: b\n\n'
    const first = text.indexOf('\n\n') + 2
    for (let end = first; end < text.length - 1; end++) {
      expect(decode([text.slice(0, end)])).toEqual({
        calls: [{ data: 'a', event: undefined, id: '1' }],
        lastEventId: '1',
      })
    }
  })
})

describe('[SSE-7] limits the size of a frame', () => {
  const failureOf = (pieces: Iterable<string>, maxFrameChars: number): unknown => {
    try {
      decode(pieces, { maxFrameChars })
      return undefined
    } catch (error) {
      return error
    }
  }

  test('rejects a line over the limit, finished or not, for any chunks', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 }), fc.boolean(), cutList, (extra, ended, cuts) => {
        const text = `data: ok\n\n:${'x'.repeat(29 + extra)}${ended ? '\n\n' : ''}`
        const error = failureOf(cutAt(text, cuts), 29)
        expect(isMillraceError(error) && error.code).toBe('frame_too_large')
      }),
    )
    expect(failureOf([`:${'x'.repeat(28)}\n`], 29)).toBeUndefined()
  })

  test('rejects data over the limit, for any number of lines', () => {
    fc.assert(
      fc.property(cutList, (cuts) => {
        const lines = 'data: 12345\n'.repeat(5)
        expect(failureOf(cutAt(`${lines}\n`, cuts), 29)).toBeUndefined()
        const error = failureOf(cutAt(`${lines}data\n`, cuts), 29)
        expect(isMillraceError(error) && error.message).toMatch(/over maxFrameChars, 29/)
      }),
    )
  })

  test('emits the events before it', () => {
    const data: string[] = []
    const decoder = createSseDecoder({
      onEvent: (event) => data.push(event.data),
      maxFrameChars: 9,
    })
    expect(() => decoder.feed('data: a\n\ndata: long')).toThrow('maxFrameChars')
    expect(data).toEqual(['a'])
  })
})

test('joins a long line of small chunks', () => {
  const data = 'é'.repeat(200_000)
  const bytes = encoder.encode(`data: ${data}\n\n`)
  const [event] = decode(Array.from(bytes, (byte) => Uint8Array.of(byte))).calls
  expect(event).toEqual({ data, event: undefined, id: undefined })
})
