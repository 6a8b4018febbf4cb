import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { arbitraryStream } from '../../../test/support/frames/arbitrary-stream.ts'
import { encodeEnvelope, type Envelope } from '../index.ts'
import { chunkPayload } from '../envelope/chunk.ts'
import { createDecoder } from './decode.ts'
import { createStepTracker } from './step-tracker.ts'
import type { StreamEvent } from './stream-event.ts'

const frame = (type: string, delta: string, extras: Partial<Envelope> = {}): Envelope => ({
  type,
  agent: 'mill',
  final: false,
  delta,
  ...extras,
})
const last = (type: string, delta: string, extras: Partial<Envelope> = {}): Envelope =>
  frame(type, delta, { final: true, ...extras })

function decodeAll(lines: readonly string[]): readonly StreamEvent[] {
  const decoder = createDecoder({ after: 0 })
  return lines.flatMap((line, index) => decoder.decode(line, index + 1) ?? [])
}

const decode = (...frames: readonly Envelope[]): readonly StreamEvent[] =>
  decodeAll(frames.map(encodeEnvelope))

test('a citation of an older dialect has its fields from `delta`', () => {
  const delta = JSON.stringify({ cited_text: 'It turns.', url: '/mill' })
  expect(decode(frame('citation', delta))).toMatchObject([
    { type: 'citation', citedText: 'It turns.', fields: { url: '/mill' } },
  ])
  expect(decode(frame('citation', delta, { citation_type: 'page' }))).toMatchObject([
    { citedText: delta, fields: { citation_type: 'page' } },
  ])
})

test('a decoder that skips gaps reads on after them, and drops incomplete blocks', () => {
  const decoder = createDecoder({ after: 0, skipsHoles: true })
  const read = (delta: string, id: number) =>
    decoder.decode(encodeEnvelope(frame('text', delta)), id)
  expect(read('a', 4)).toMatchObject({ text: 'a', start: true })
  expect(read('b', 7)).toMatchObject({ text: 'b', start: false })
  expect(read('a', 4)).toBeUndefined()
})

describe('pieces', () => {
  test('carry their kind, their block and whether they start or end it', () => {
    expect(decode(frame('text', 'a'), frame('text', 'b'), last('text', ''))).toMatchObject([
      { type: 'text', block: 'b1', text: 'a', start: true, end: false, id: 1, span: 1 },
      { type: 'text', block: 'b1', text: 'b', start: false, end: false, id: 2 },
      { type: 'text', block: 'b1', text: '', start: false, end: true, interrupted: false, id: 3 },
    ])
  })

  test('of one frame have both flags, and the name of their call', () => {
    const call = { id: 'c1', name: 'grind' }
    expect(decode(last('tool_call', '{}', { ...call, interrupted: true }))).toMatchObject([
      { type: 'tool_call', callId: 'c1', name: 'grind', text: '{}', start: true, end: true },
    ])
    expect(decode(last('tool_call', '{}', { ...call, interrupted: true }))).toMatchObject([
      { interrupted: true },
    ])
  })

  test('wait until the fields of their block are complete [CHUNK-5]', () => {
    const events = decode(
      frame('tool_call', '', { id: 'c', name: 'gri', more: { name: 'text' } }),
      frame('tool_call', '{"a"', { id: 'c', name: 'nd' }),
      last('tool_call', ':1}', { id: 'c' }),
    )
    expect(events).toMatchObject([
      { name: 'grind', block: 'b1', text: '{"a"', start: true, id: 2 },
      { name: 'grind', block: 'b1', text: ':1}', end: true, id: 3 },
    ])
  })

  test('keep their text where a field continues in the middle of a block [CHUNK-5]', () => {
    const call = { id: 'c', name: 'n' }
    const events = decode(
      ...['1', '2', '3', '4', '5'].map((text) => frame('tool_call', text, call)),
      frame('tool_call', '6', { ...call, more: { name: 'text' } }),
      frame('tool_call', '7', call),
      last('tool_call', '8', call),
    )
    expect(events.map((event) => ('text' in event ? event.text : '')).join('')).toBe('12345678')
  })

  test('have fields that come with later frames', () => {
    const events = decode(
      frame('tool_result', 'a', { id: 'c', name: 'n' }),
      last('tool_result', 'b', { id: 'c', name: 'n', is_error: true }),
    )
    expect(events).toMatchObject([{ isError: false }, { isError: true }])
  })
})

describe('ids', () => {
  test('a repeated frame gives no event, a missing one is an error [LOG-3]', () => {
    const decoder = createDecoder({ after: 4 })
    const line = encodeEnvelope(frame('text', 'a'))
    expect(decoder.decode(line, 4)).toBeUndefined()
    expect(decoder.decode(line, 5)).toMatchObject({ id: 5, block: 'b5' })
    expect(() => decoder.decode(line, 7)).toThrow('Frame 7 does not follow frame 5')
    expect(decoder.lastId).toBe(5)
    expect(decoder.decode(line, 6)).toMatchObject({ id: 6, start: false })
  })

  test('without a position a decoder accepts any ids: a view may omit frames', () => {
    const decoder = createDecoder()
    const line = encodeEnvelope(frame('text', 'a'))
    expect(decoder.decode(line, 40)).toMatchObject({ id: 40, block: 'b40' })
    expect(decoder.decode(line, 42)).toMatchObject({ id: 42, block: 'b40' })
  })

  test('the key of a block is that of its first frame, merged or not [LOG-5]', () => {
    const decoder = createDecoder({ after: 0 })
    const merged = encodeEnvelope(frame('text', 'ab', { span: 3 }))
    expect(decoder.decode(merged, 3)).toMatchObject({ id: 3, span: 3, block: 'b1' })
    expect(decoder.decode(encodeEnvelope(frame('text', 'c')), 5, 2)).toMatchObject({ span: 2 })
  })

  test('a placeholder advances the id and gives no event [LOG-8]', () => {
    const decoder = createDecoder({ after: 0 })
    const hidden = encodeEnvelope(last('hidden', '', { span: 9 }))
    expect(decoder.decode(hidden, 9)).toBeUndefined()
    expect(decoder.lastId).toBe(9)
  })
})

describe('joined events', () => {
  test('have the members that their row names', () => {
    const events = decode(
      frame('meta_step', '{"step":2,"stop_re'),
      last('meta_step', 'ason":"end_turn","from_later":1}'),
    )
    expect(events).toMatchObject([
      {
        type: 'step_end',
        step: 2,
        stopReason: 'end_turn',
        payload: { from_later: 1 },
        id: 2,
        block: 'b1',
      },
    ])
  })

  test('lack members of the wrong type', () => {
    const [event] = decode(last('meta_end', '{"stop_reason":7,"total_steps":"many"}'))
    expect(event).not.toHaveProperty('stopReason')
    expect(event).not.toHaveProperty('steps')
  })

  test('name the pending calls, wrapped or not', () => {
    const call = '{"tool_use_id":"c","name":"ask","input":{"a":1},"input_hash":"h"}'
    const expected = [
      { callId: 'c', name: 'ask', input: { a: 1 }, agent: 'mill', request: { input_hash: 'h' } },
    ]
    expect(decode(last('awaiting_approval', `[${call}]`))).toMatchObject([{ calls: expected }])
    expect(decode(last('awaiting_approval', `{"tools":[${call}]}`))).toMatchObject([
      { calls: expected },
    ])
  })

  test('an item in several frames is one event', () => {
    const events = decode(
      frame('citation', 'the ', {
        citation_type: 'page',
        url: 'a',
        more: { delta: 'text', url: 'text' },
      }),
      last('citation', 'words', { url: 'b' }),
    )
    expect(events).toMatchObject([
      { type: 'citation', citedText: 'the words', fields: { citation_type: 'page', url: 'ab' } },
    ])
  })

  test('types of older versions are events of today [EXT-3]', () => {
    expect(
      decode(
        last('compaction_start', '{}'),
        last('text', 'a summary'),
        last('compaction_end', '{}'),
        last('text', 'an answer'),
        last('aborted', '{}'),
      ),
    ).toMatchObject([
      { type: 'unknown', wire: 'compaction_start' },
      { type: 'text', isSummary: true },
      { type: 'unknown', wire: 'compaction_end' },
      { type: 'text', isSummary: false },
      { type: 'run_end', stopReason: 'aborted' },
    ])
  })

  test('types of newer versions keep all their fields [ENV-9]', () => {
    expect(
      decode(frame('hologram', 'a', { id: 'h', depth: 3 }), last('hologram', 'b', { id: 'h' })),
    ).toMatchObject([
      { type: 'unknown', wire: 'hologram', text: 'ab', wireId: 'h', fields: { depth: 3 } },
    ])
  })

  test('held data are bounded', () => {
    const decoder = createDecoder({ maxHeldLength: 100 })
    const line = encodeEnvelope(frame('meta_step', 'x'.repeat(30)))
    decoder.decode(line)
    decoder.decode(line)
    expect(() => decoder.decode(line)).toThrow('more than 100 characters')
  })
})

describe('any stream', () => {
  test('lines give the same events as parsed frames, for any cached lines', () => {
    const repeated = fc
      .array(fc.tuple(arbitraryStream(), fc.integer({ min: 1, max: 6 })), { maxLength: 4 })
      .map((parts) =>
        parts.flatMap(([frames, times]) =>
          frames.flatMap((one) => Array.from({ length: one.final ? 1 : times }, () => one)),
        ),
      )
    fc.assert(
      fc.property(repeated, (frames) => {
        const byLine = createDecoder()
        const byFrame = createDecoder()
        for (const one of frames) {
          const event = byLine.decode(encodeEnvelope(one))
          expect(event).toEqual(byFrame.decodeFrame(one))
        }
      }),
    )
  })

  test.each([
    ['other escapes', (line: string) => line.replaceAll('é', '\\u00e9').replaceAll('/', '\\/')],
    ['white space', (line: string) => line.replaceAll('","', '", "')],
    [
      'fields in another order',
      (line: string) =>
        JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(line) as object).reverse())),
    ],
    ['a delta that stands twice', (line: string) => line.replace(/\}$/, ',"delta":"twice"}')],
    [
      'a delta inside another field',
      (line: string) => line.replace('{', '{"x":{"delta":"inner"},'),
    ],
  ])('lines with %s are decoded unchanged', (_, rewrite) => {
    const deltas = ['é', '"', 'a/b', '\\', '"}', 'é/', '","id":"x"}', '', '\u2028', 'é']
    const lines = deltas.flatMap((delta) =>
      [frame('text', delta), frame('tool_call', delta, { id: 'c', name: 'n' })].map((one) =>
        rewrite(encodeEnvelope(one)),
      ),
    )
    const decoder = createDecoder()
    for (const line of lines) {
      const { delta } = JSON.parse(line) as Envelope
      expect(decoder.decode(line)).toMatchObject({ text: delta })
    }
  })

  test('for any chunks, a block gives the same text and the same fields [CHUNK-6]', () => {
    const anyText = fc.string({ unit: 'binary', maxLength: 3000 })
    fc.assert(
      fc.property(
        anyText,
        anyText,
        fc.integer({ min: 512, max: 4096 }),
        (payload, note, maxBytes) => {
          const extras = { id: 'c', name: 'n'.repeat(note.length % 900), note }
          const lines = [
            ...chunkPayload({ type: 'tool_call', agent: 'a', payload, extras, maxBytes }),
          ]
          const events = decodeAll(lines)
          expect(events.map((event) => ('text' in event ? event.text : '')).join('')).toBe(payload)
          expect(events.at(-1)).toMatchObject({ callId: 'c', name: extras.name, end: true })
          expect(events.at(-1)?.fields).toEqual({ note })
          expect(events.filter((event) => 'start' in event && event.start)).toHaveLength(1)
        },
      ),
      { numRuns: 200 },
    )
  })
})

describe('steps', () => {
  const track = (frames: readonly Envelope[]) => {
    const tracker = createStepTracker()
    return decode(...frames).map((event) => tracker.take(event).map(({ block }) => block))
  }

  test('a rollback voids the blocks of its agent since the last boundary [LIFE-8]', () => {
    const voided = track([
      last('text', 'stays'),
      last('meta_step', '{}'),
      last('thinking', 'goes'),
      frame('text', 'goes'),
      last('text', ''),
      last('text', 'of another', { agent: 'child' }),
      last('rollback', '{}'),
      last('rollback', '{}'),
    ])
    expect(voided.at(-2)).toEqual(['b3', 'b4'])
    expect(voided.at(-1)).toEqual([])
  })

  test('lists the blocks of an agent in the current step', () => {
    const tracker = createStepTracker()
    for (const event of decode(
      last('text', 'a'),
      frame('tool_result', 'b', { id: 'c', name: 'n' }),
    ))
      tracker.take(event)
    expect(tracker.unsettled('mill').map(({ block }) => block)).toEqual(['b1'])
    expect(tracker.unsettled('child')).toEqual([])
  })
})
