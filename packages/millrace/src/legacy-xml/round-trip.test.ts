import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cutAt, cuts, joinAll, nastyText } from '../../test/support/protocols/legacy-xml.ts'
import { runs } from '../../test/support/runs.ts'
import type { Envelope } from '../events/index.ts'
import { createLegacyXmlTextDecoder } from './decode/text-decoder.ts'
import { envelopesToXml, xmlToEnvelopes } from './convert.ts'

const root = 'a0000000-0000-4000-8000-000000000001'
const child = 'c0000000-0000-4000-8000-000000000002'

const start: Envelope = {
  type: 'meta_init',
  agent: root,
  final: true,
  delta: JSON.stringify({ format: 'xml', agent_uuid: root, parent_agent_uuid: null }),
}

/** A complete block: its type, content and fields. */
interface Whole {
  readonly type: string
  readonly delta: string
  readonly fields?: Record<string, unknown>
  readonly images?: readonly Record<string, unknown>[]
}

const notEmpty = nastyText.filter((text) => text !== '')
const tool = fc.record({ id: nastyText, name: nastyText })

function block(type: string, fields: fc.Arbitrary<Record<string, unknown>>): fc.Arbitrary<Whole> {
  return fc.record({ type: fc.constant(type), delta: nastyText, fields })
}

const noFields = fc.constant({})
const maybeError = (fields: fc.Arbitrary<{ id: string; name: string }>) =>
  fc.tuple(fields, fc.boolean()).map(([own, bad]) => (bad ? { ...own, is_error: true } : own))
const maybeCut = fc
  .tuple(tool, fc.boolean())
  .map(([own, isCut]) => (isCut ? { ...own, interrupted: true } : own))

const wholeBlock: fc.Arbitrary<Whole> = fc.oneof(
  { weight: 4, arbitrary: block('text', noFields) },
  block('thinking', fc.constantFrom({}, { redacted: true })),
  block('tool_call', maybeCut),
  block('server_tool_call', maybeCut),
  block('tool_result', maybeError(tool)),
  block('server_tool_result', maybeError(tool)).map((whole) => ({
    ...whole,
    delta: JSON.stringify(whole.delta),
  })),
  block('meta_files', noFields),
  block('error', noFields),
  block('meta_final', noFields),
  block('awaiting_frontend_tools', noFields),
  block(
    'citation',
    fc.record(
      {
        citation_type: notEmpty,
        document_index: fc.nat(),
        title: notEmpty,
        source: notEmpty,
        odd: notEmpty,
      },
      { requiredKeys: ['citation_type'] },
    ),
  ),
  fc.record({
    type: fc.constant('tool_result'),
    delta: nastyText,
    fields: tool,
    images: fc.array(fc.record({ src: nastyText, media_type: nastyText }), {
      minLength: 1,
      maxLength: 3,
    }),
  }),
)

const incremental = new Set(['text', 'thinking'])

/** Splits a block into messages as the wire does, with the images of a result before its end. */
function toWire(
  { type, delta, fields = {}, images = [] }: Whole,
  seeds: readonly number[],
): Envelope[] {
  const base = { type, agent: root, ...fields }
  if (type === 'citation') return [{ ...base, final: true, delta }]
  const pieces = cutAt(delta, seeds).map((piece) => ({ ...base, final: false, delta: piece }))
  const { id, name } = fields as { id: string; name: string }
  const shown = images.map((image): Envelope => ({
    type: 'tool_result_image',
    agent: root,
    final: false,
    delta: '',
    id,
    name,
    ...image,
  }))
  const last = incremental.has(type) || shown.length > 0 ? undefined : pieces.pop()
  return [...pieces, ...shown, { ...base, final: true, delta: last?.delta ?? '' }]
}

const stream = fc
  .tuple(fc.array(wholeBlock, { maxLength: 6 }), cuts)
  .map(([blocks, seeds]) => [start, ...blocks.flatMap((each) => toWire(each, seeds))])

function decodeInPieces(pieces: readonly string[]): Envelope[] {
  const decoder = createLegacyXmlTextDecoder()
  return [...pieces.flatMap((piece) => decoder.feed(piece)), ...decoder.finish()]
}

describe('envelopes → XML → envelopes', () => {
  test('is exact for long content too', () => {
    const long = fc
      .tuple(nastyText, fc.integer({ min: 8000, max: 30_000 }))
      .map(([text, length]) => (text === '' ? '' : text.repeat(Math.ceil(length / text.length))))
    const types = fc.constantFrom(
      'text',
      'tool_call',
      'tool_result',
      'error',
      'meta_files',
      'meta_final',
    )
    fc.assert(
      fc.property(types, long, (type, delta) => {
        const fields = type.startsWith('tool') ? { id: 'i', name: 'n' } : {}
        const envelope: Envelope = { type, agent: root, final: true, delta, ...fields }
        const messages = [...envelopesToXml([start, envelope])]
        expect(joinAll(xmlToEnvelopes(messages))).toEqual([start, envelope])
        expect(joinAll(xmlToEnvelopes(messages.join('')))).toEqual([start, envelope])
      }),
      { numRuns: runs(150, 5000) },
    )
  })

  test('[XML-17] [XML-18] is exact, message by message', () => {
    fc.assert(
      fc.property(stream, (envelopes) => {
        const decoded = xmlToEnvelopes(envelopesToXml(envelopes))
        expect(joinAll(decoded)).toEqual(joinAll(envelopes))
      }),
      { numRuns: runs(1000, 60_000) },
    )
  })

  test('[XML-4] is exact without message boundaries, for every split', () => {
    fc.assert(
      fc.property(stream, cuts, (envelopes, seeds) => {
        const text = [...envelopesToXml(envelopes)].join('')
        const expected = joinAll(envelopes)
        expect(joinAll(xmlToEnvelopes(text))).toEqual(expected)
        expect(joinAll(decodeInPieces([...cutAt(text, seeds)]))).toEqual(expected)
        expect(joinAll(decodeInPieces(text.split('')))).toEqual(expected)
      }),
      { numRuns: runs(500, 30_000) },
    )
  })

  test('[XML-18] no message contains a line end, a lone surrogate or the end of the stream', () => {
    fc.assert(
      fc.property(stream, (envelopes) => {
        for (const message of envelopesToXml(envelopes)) {
          expect(message).not.toMatch(/[\r\n]|[\ud800-\udfff]/u)
          expect(message).not.toBe('[DONE]')
          expect(message).not.toBe('')
        }
      }),
      { numRuns: runs(500, 30_000) },
    )
  })

  test('[XML-20] restores the names of sub-agents', () => {
    const agents = fc.constantFrom(root, child)
    const spoken = fc.array(fc.tuple(agents, wholeBlock), { maxLength: 6 })
    fc.assert(
      fc.property(spoken, cuts, (blocks, seeds) => {
        const birth = JSON.stringify({ agent_uuid: child, parent_agent_uuid: root })
        const envelopes = [
          start,
          { ...start, agent: child, delta: birth },
          ...blocks.flatMap(([agent, each]) =>
            toWire(each, seeds).map((one) => ({ ...one, agent })),
          ),
        ]
        expect(joinAll(xmlToEnvelopes(envelopesToXml(envelopes)))).toEqual(joinAll(envelopes))
      }),
      { numRuns: runs(400, 20_000) },
    )
  })
})
