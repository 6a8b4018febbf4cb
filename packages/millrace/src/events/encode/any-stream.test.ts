import fc from 'fast-check'
import { expect, test } from 'vitest'
import { anyMove, playRun } from '../../../test/support/agents/any-run.ts'
import { runs } from '../../../test/support/runs.ts'
import {
  createJoiner,
  decodeEnvelope,
  type Envelope,
  createVerifier,
  createEnvelopeMapper,
  createEnvelopeWriter,
} from '../index.ts'

const joinAll = (envelopes: readonly Envelope[]) => {
  const joiner = createJoiner()
  return envelopes.flatMap((envelope) => joiner.push(envelope) ?? [])
}

const compared = ['text', 'thinking', 'tool_call', 'server_tool_call', 'tool_result']

test('any events give lines within the limit that conform to the rules and join to the emitted text', () => {
  const limit = fc.integer({ min: 512, max: 2048 })
  const property = fc.property(
    fc.array(anyMove, { maxLength: 60 }),
    limit,
    fc.boolean(),
    fc.boolean(),
    (moves, maxBytes, isLive, history) => {
      const { events, expected } = playRun(moves, isLive)
      const toolInput = isLive ? 'live' : 'buffered'
      const writer = createEnvelopeWriter({ maxBytes, history, toolInput })
      const verifier = createVerifier({ maxBytes })
      const joiner = createJoiner()
      const lines = events.flatMap((event) => writer.write(event))
      expect(lines.flatMap((line) => verifier.push(line))).toEqual([])
      const whole = lines.map((line) => joiner.push(decodeEnvelope(line)))
      const said = whole.flatMap((block) =>
        block !== undefined && compared.includes(block.type)
          ? [`${block.agent} ${block.type} ${block.delta}`]
          : [],
      )
      expect(said).toEqual(expected)
      expect(joiner.open()).toEqual([])
      expect(writer.finish()).toEqual([])
    },
  )
  fc.assert(property, { numRuns: runs(300, 20_000) })
})

test('frames as values equal the joined lines', () => {
  const property = fc.property(
    fc.array(anyMove, { maxLength: 40 }),
    fc.boolean(),
    (moves, isLive) => {
      const { events } = playRun(moves, isLive)
      const options = { history: true, toolInput: isLive ? 'live' : 'buffered' } as const
      const writer = createEnvelopeWriter({ ...options, maxBytes: 512 })
      const mapper = createEnvelopeMapper(options)
      const lines = events.flatMap((event) => writer.write(event))
      const values = events.flatMap((event) => mapper.write(event))
      expect(joinAll(values)).toEqual(joinAll(lines.map(decodeEnvelope)))
    },
  )
  fc.assert(property, { numRuns: runs(100, 5000) })
})
