import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anyLog, MAX_BYTES, toFrames } from '../../../test/support/frames/play-log.ts'
import { runs } from '../../../test/support/runs.ts'
import {
  createJoiner,
  decodeEnvelope,
  encodeEnvelope,
  type Envelope,
  traitsOf,
  createVerifier,
} from '../../events/index.ts'
import { chunkPayload } from '../../events/envelope/chunk.ts'
import { utf8Length } from '../../text/index.ts'
import { jsonFormat } from './json-format.ts'

const ROOT = 'mill'
const say = (type: string, delta: string, more: Partial<Envelope> = {}): Envelope => ({
  type,
  agent: ROOT,
  final: true,
  delta,
  ...more,
})
const seed = jsonFormat({ extensions: 'none' })

function write(...envelopes: Envelope[]): Envelope[] {
  const messages = envelopes.map((envelope, index) => ({ id: index + 1, envelope }))
  return toFrames(seed, { root: ROOT }, messages).map(({ data = '' }) => decodeEnvelope(data))
}

/** Returns a frame for a reader without extensions. A shortened item is compared by its remaining text. */
function toSeed(message: Envelope, said: Envelope | undefined): Envelope {
  const { is_error, redacted, server_name, interrupted, ...known } = message
  if (known.type !== 'citation' || utf8Length(encodeEnvelope(known)) <= MAX_BYTES) return known
  const { type, agent, final, id } = known
  expect(said).toMatchObject({ type, agent, final, ...(id !== undefined && { id }) })
  for (const [name, value] of Object.entries(said ?? {})) {
    const whole = known[name]
    if (JSON.stringify(value) === JSON.stringify(whole)) continue
    expect(value).toMatch(/…$/u)
    expect(String(whole).startsWith(String(value).slice(0, -1))).toBe(true)
  }
  return said ?? known
}

const text = [say('text', 'a', { final: false }), say('text', '')]
const init = say('meta_init', '{}')
const end = say('meta_end', '{"stop_reason":"end_turn"}')

test('envelopes are unchanged', () => {
  fc.assert(
    fc.property(anyLog, (log) => {
      expect(toFrames(jsonFormat(), log, log.messages)).toEqual(
        log.messages.map(({ envelope }) => ({ data: encodeEnvelope(envelope) })),
      )
    }),
    { numRuns: runs(20, 200) },
  )
})

describe('without extensions [EXT-2]', () => {
  test('any run is a valid stream of the thirteen types with the same content', () => {
    const left = new Set(['meta_step', 'meta_end', 'rollback'])
    fc.assert(
      fc.property(anyLog, (log) => {
        const frames = toFrames(seed, log, log.messages)
        const verifier = createVerifier({ needsEnd: false })
        expect(frames.flatMap(({ data = '' }) => verifier.push(data))).toEqual([])
        expect(verifier.end(true)).toEqual([])
        const whole = log.messages.map(({ envelope }) => envelope)
        const joiner = createJoiner()
        const kept = whole
          .filter(({ type }) => !left.has(type))
          .flatMap((one) => (traitsOf(one.type)?.isItem ? (joiner.push(one) ?? []) : one))
          .filter(
            (one) =>
              one.type !== 'tool_result_image' || utf8Length(encodeEnvelope(one)) <= MAX_BYTES,
          )
        const said = frames.map(({ data = '' }) => decodeEnvelope(data))
        for (const { data = '' } of frames) expect(utf8Length(data)).toBeLessThanOrEqual(MAX_BYTES)
        expect(said.some((message) => 'more' in message)).toBe(false)
        expect(said).toEqual(kept.map((message, at) => toSeed(message, said[at])))
      }),
      { numRuns: runs(200, 2000) },
    )
  })

  test('types that the seed does not define are omitted', () => {
    const call = { id: 'c', name: 'n' }
    const received = write(
      init,
      { ...say('text', 'ab', { final: false }), span: 2 },
      say('text', ''),
      say('tool_call', '{}', call),
      say('meta_step', '{}'),
      say('tool_status', '', { ...call, stage: 'started' }),
      say('tool_result', 'x', { ...call, is_error: true }),
      say('user_message', 'hurry'),
      say('meta_compaction', '{}'),
      say('awaiting_approval', '[]'),
      say('aborted', '{}'),
      say('hidden', ''),
      end,
    )
    expect(received).toEqual([
      init,
      say('text', 'ab', { final: false }),
      say('text', ''),
      say('tool_call', '{}', call),
      say('tool_result', 'x', call),
    ])
  })

  test('[EXT-4] a citation is one frame, shortened to the bound between code points', () => {
    const quote = 'Mühle 🌾 "dreht" '.repeat(500)
    const extras = { citation_type: 'web_search_result_location', url: 'https://example.com/a' }
    const cite = (payload: string, fields: object, final = true) =>
      [
        ...chunkPayload({
          type: 'citation',
          agent: ROOT,
          payload,
          extras: { ...extras, ...fields },
          final,
          maxBytes: MAX_BYTES,
        }),
      ].map(decodeEnvelope)
    const [, , , first, second, third, ...rest] = write(
      init,
      ...text,
      ...cite(quote, {}, false),
      ...cite('short', { title: 'ü'.repeat(2000), url: 'u'.repeat(2000) }, false),
      ...cite('short', {}),
    )
    expect(rest).toEqual([])
    expect(first).toMatchObject({ ...extras, type: 'citation', final: false })
    expect(first?.delta).toMatch(/^Mühle 🌾 "dreht" .{150,}…$/u)
    expect(quote.startsWith(first?.delta.slice(0, -1) ?? '?')).toBe(true)
    expect(second).toMatchObject({ delta: 'short', final: false })
    expect(second?.['title']).toMatch(/^ü+…$/)
    expect(second?.['url']).toMatch(/^u+…$/)
    expect(third).toEqual(say('citation', 'short', extras))
  })

  test('[EXT-4] a citation with any fields fits', () => {
    const odd = Object.fromEntries(
      Array.from({ length: 60 }, (_, at) => [
        `odd_${at}`,
        at % 2 === 0 ? ['x'.repeat(at * 9)] : at,
      ]),
    )
    const extras = { id: 'i'.repeat(100), citation_type: 'odd', ...odd }
    const pieces = [
      ...chunkPayload({
        type: 'citation',
        agent: ROOT,
        payload: 'q'.repeat(9000),
        extras,
        maxBytes: MAX_BYTES,
      }),
    ].map(decodeEnvelope)
    const received = write(init, ...text, ...pieces)
    expect(received).toHaveLength(4)
    expect(received[3]).toMatchObject({ id: 'i'.repeat(100), citation_type: 'odd' })
    expect(utf8Length(encodeEnvelope(received[3] ?? init))).toBeLessThanOrEqual(MAX_BYTES)
  })

  test('[EXT-4] a long name of a call is its first chunk', () => {
    const extras = { id: 'c', name: 'n'.repeat(3000) }
    const pieces = [
      ...chunkPayload({
        type: 'tool_call',
        agent: ROOT,
        payload: '{}',
        extras,
        maxBytes: MAX_BYTES,
      }),
    ].map(decodeEnvelope)
    const received = write(init, ...pieces)
    expect(received.some((message) => 'more' in message)).toBe(false)
    expect(received[1]?.['name']).toMatch(/^n{300,}…$/)
    expect(received.slice(2).some((message) => 'name' in message)).toBe(false)
    expect(received.at(-1)).toMatchObject({ id: 'c', final: true, delta: '{}' })
    for (const message of received)
      expect(utf8Length(encodeEnvelope(message))).toBeLessThanOrEqual(MAX_BYTES)
  })

  test('after a rollback the retried blocks follow, and other agents are unchanged', () => {
    const child = { agent: 'child' }
    const received = write(
      init,
      say('text', 'b', { final: false, ...child }),
      ...text,
      say('rollback', '{"step":1}'),
      say('text', '', child),
      ...text,
      end,
    )
    expect(received).toEqual([
      init,
      say('text', 'b', { final: false, ...child }),
      ...text,
      say('text', '', child),
      ...text,
    ])
  })
})
