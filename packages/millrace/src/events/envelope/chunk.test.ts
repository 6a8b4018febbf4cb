import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '../../../test/support/runs.ts'
import { isMillraceError } from '../../errors/index.ts'
import type { JsonValue } from '../../json/index.ts'
import { chunkPayload, MAX_SSE_CHUNK_BYTES, type Payload } from './chunk.ts'
import { decodeEnvelope } from './envelope.ts'
import { createJoiner } from './join.ts'

const agent = 'a0000000-0000-4000-8000-00000000000a'
const bytesOf = (line: string) => Buffer.byteLength(line)

function joinLines(lines: readonly string[]) {
  const joiner = createJoiner()
  return lines
    .map((line) => joiner.push(decodeEnvelope(line)))
    .filter((whole) => whole !== undefined)
}

/** Any UTF-16 text, with a preference for characters that JSON escapes or that need several bytes in UTF-8. */
const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 6000 }),
  fc
    .array(
      fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)),
      {
        maxLength: 3000,
      },
    )
    .map((units) => units.join('')),
  fc
    .tuple(
      fc.constantFrom(
        'a',
        '"',
        '\\',
        '\n',
        '\u0000',
        '\u001b[31m',
        'é',
        '漢',
        '😀',
        '\ud800',
        '\u2028',
        '\\"\n😀',
      ),
      fc.integer({ min: 0, max: 5000 }),
      fc.string({ unit: 'binary', maxLength: 20 }),
    )
    .map(([unit, count, start]) => start + unit.repeat(count)),
)

const fieldName = fc.oneof(
  fc.constantFrom('name', 'url', 'title', 'src', 'source', '__proto__', 'document_index'),
  fc.string({ unit: 'grapheme', maxLength: 12 }),
)
const reserved = new Set(['type', 'agent', 'final', 'delta', 'more', 'span', 'id'])
const anyExtras = fc
  .array(
    fc.tuple(
      fieldName.filter((name) => !reserved.has(name)),
      fc.oneof(
        fc.string({ unit: 'binary', maxLength: 40 }),
        anyText,
        fc.jsonValue({ maxDepth: 3 }),
      ),
    ),
    { maxLength: 6 },
  )
  // JSON.parse makes `__proto__` an own field, as in an envelope on the wire.
  .map(
    (pairs) =>
      JSON.parse(
        `{${pairs.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(',')}}`,
      ) as Record<string, JsonValue>,
  )

const anyPayload: fc.Arbitrary<Payload> = fc.record({
  type: fc.constantFrom(
    'text',
    'thinking',
    'tool_call',
    'tool_result',
    'citation',
    'tool_result_image',
    'newer_type',
  ),
  agent: fc.constant(agent),
  payload: anyText,
  extras: fc
    .tuple(anyExtras, fc.option(fc.string({ maxLength: 40 }), { nil: undefined }), fc.boolean())
    .map(([extras, id, interrupted]) => ({
      ...(id !== undefined && { id }),
      ...extras,
      ...(interrupted && { interrupted }),
    })),
  final: fc.boolean(),
  maxBytes: fc.constantFrom(512, 777, 2048, 16_384),
})

describe('chunkPayload', () => {
  test('[LIFE-14] only the last frame marks the block as interrupted', () => {
    fc.assert(
      fc.property(anyPayload, (input) => {
        const lines = [...chunkPayload(input)].map(decodeEnvelope)
        const isInterrupted = input.extras?.['interrupted'] === true
        expect(lines.map((line) => line['interrupted'] === true)).toEqual(
          lines.map((_, at) => isInterrupted && at === lines.length - 1),
        )
      }),
    )
  })

  test('[CHUNK-1] [CHUNK-6] any payload and any extras stay within the bound and round-trip', () => {
    fc.assert(
      fc.property(anyPayload, (input) => {
        const lines = [...chunkPayload(input)]
        for (const line of lines) expect(bytesOf(line)).toBeLessThanOrEqual(input.maxBytes ?? 0)
        const isItem = input.type === 'citation' || input.type === 'tool_result_image'
        const closing =
          isItem || input.final ? [] : [...chunkPayload({ ...input, payload: '', final: true })]
        const [whole, ...others] = joinLines([...lines, ...closing])
        expect(others).toEqual([])
        expect(whole).toEqual({
          ...JSON.parse(JSON.stringify(input.extras)),
          type: input.type,
          agent,
          final: isItem ? input.final : true,
          delta: input.payload,
        })
      }),
      { numRuns: runs(10_000, 1_000_000) },
    )
  }, 3_600_000)

  test('[CHUNK-3] no chunk splits a surrogate pair, an escape or a lone surrogate', () => {
    const payload = 'x😀\ud800"\\\u0001é'.repeat(3000)
    const deltas = [...chunkPayload({ type: 'tool_result', agent, payload })].map(
      (line) => decodeEnvelope(line).delta,
    )
    expect(deltas.join('')).toBe(payload)
    for (const delta of deltas) {
      expect(delta).not.toMatch(/[\ud800-\udbff]$(?<!\ud800$)/)
      expect(delta).not.toMatch(/^[\udc00-\udfff]/)
    }
  })

  test('[CHUNK-2] final is on the last frame only, and an empty payload is one frame', () => {
    const lines = [
      ...chunkPayload({
        type: 'tool_result',
        agent,
        payload: 'a'.repeat(5000),
        extras: { id: 't', name: 'n' },
      }),
    ]
    expect(lines.map((line) => decodeEnvelope(line).final)).toEqual([false, false, true])
    expect([...chunkPayload({ type: 'tool_result', agent, payload: '' })]).toEqual([
      `{"type":"tool_result","agent":"${agent}","final":true,"delta":""}`,
    ])
  })

  test('[CHUNK-4] id and a short name are on every frame, a long field is sent once', () => {
    const src = `data:image/png;base64,${'A'.repeat(9000)}`
    const lines = [
      ...chunkPayload({
        type: 'tool_result_image',
        agent,
        payload: '',
        final: false,
        extras: { id: 't1', name: 'shot', media_type: 'image/png', src },
      }),
    ]
    const messages = lines.map(decodeEnvelope)
    expect(messages.every(({ id, name }) => id === 't1' && name === 'shot')).toBe(true)
    expect(messages.map((message) => message['src'] ?? '').join('')).toBe(src)
    expect(joinLines(lines)).toEqual([
      {
        type: 'tool_result_image',
        agent,
        final: false,
        delta: '',
        id: 't1',
        name: 'shot',
        media_type: 'image/png',
        src,
      },
    ])
  })

  test('[CHUNK-1] 10 MB of every kind of character stays within the bound and round-trips', () => {
    const payload = 'plain words, "quotes", back\\slash\n\u0000 é 漢字 😀 \ud800. '.repeat(200_000)
    let longest = 0
    let joined = ''
    for (const line of chunkPayload({ type: 'tool_result', agent, payload })) {
      longest = Math.max(longest, bytesOf(line))
      joined += decodeEnvelope(line).delta
    }
    expect(longest).toBeLessThanOrEqual(MAX_SSE_CHUNK_BYTES)
    expect(longest).toBeGreaterThan(MAX_SSE_CHUNK_BYTES - 8)
    expect(joined === payload).toBe(true)
  }, 60_000)

  test.each([
    ['a limit under 512', { maxBytes: 511 }, 'bad_request'],
    ['a limit that is no number', { maxBytes: Number.NaN }, 'bad_request'],
    ['a reserved field', { extras: { span: 2 } }, 'bad_request'],
    ['an id that leaves no room', { extras: { id: 'i'.repeat(3000) } }, 'envelope_unsplittable'],
    [
      'a field name that leaves no room',
      { extras: { ['n'.repeat(3000)]: 'v' } },
      'envelope_unsplittable',
    ],
  ])('%s is rejected with a code', (_, options, code) => {
    let caught: unknown
    try {
      void [...chunkPayload({ type: 'text', agent, payload: 'x', ...options })]
    } catch (error) {
      caught = error
    }
    expect(isMillraceError(caught) && caught.code).toBe(code)
  })
})
