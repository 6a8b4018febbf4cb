import fc from 'fast-check'
import { expect, test } from 'vitest'
import { anyMove, playRun } from '../../test/support/any-run.ts'
import { runs } from '../../test/support/runs.ts'
import { createJoiner, createVerifier, decodeEnvelope } from '../envelope/index.ts'
import { createEnvelopeWriter } from './index.ts'

const compared = ['text', 'thinking', 'tool_call', 'server_tool_call', 'tool_result']

test('whatever happens: lines within the limit, by the rules, that join to what was said', () => {
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
