import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeEnvelope, encodeEnvelope, createEnvelopeDecoder } from './envelope.ts'

const anyEnvelope = fc.record(
  {
    type: fc.constantFrom('text', 'thinking', 'te"delta":"xt'),
    agent: fc.constantFrom('a', 'b', '"delta":"', ''),
    final: fc.boolean(),
    delta: fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('","id":"x', '"}', '\\')),
    id: fc.string(),
  },
  { requiredKeys: ['type', 'agent', 'final', 'delta'] },
)

/** Lines of a stream, some of them damaged in the middle or at the end. */
const anyLine = fc
  .tuple(
    anyEnvelope,
    fc.option(fc.tuple(fc.nat(90), fc.constantFrom('', '"', '}', ',"id":7', ' '))),
  )
  .map(([envelope, spoil]) => {
    const { delta, ...others } = envelope
    const isTurned = spoil?.[0] === 7
    const line = isTurned ? JSON.stringify({ delta, ...others }) : encodeEnvelope(envelope)
    return spoil === null
      ? line
      : line.slice(0, -1 - (spoil[0] % line.length)) + spoil[1] + line.slice(-1)
  })

function outcome(read: () => unknown): unknown {
  try {
    return read()
  } catch {
    return 'refused'
  }
}

test('[ENV-10] a line without its fields is rejected, for any order of the preceding lines', () => {
  const decode = createEnvelopeDecoder()
  decode('{"delta":"x","type":"text","agent":"a","final":false}')
  expect(() => decode('{"delta":"z"}')).toThrow(/Not an envelope/)
})

test('[ENV-9] [ENV-10] a line is decoded independently of the preceding lines', () => {
  fc.assert(
    fc.property(fc.array(anyLine, { maxLength: 30 }), (lines) => {
      const decode = createEnvelopeDecoder()
      for (const line of lines) {
        expect(outcome(() => decode(line))).toEqual(outcome(() => decodeEnvelope(line)))
      }
    }),
    { numRuns: 2_000 },
  )
})
