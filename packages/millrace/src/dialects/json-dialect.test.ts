import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anyLog, toFrames } from '../../test/support/play-log.ts'
import { runs } from '../../test/support/runs.ts'
import { createVerifier, decodeEnvelope, encodeEnvelope, type Envelope } from '../envelope/index.ts'
import { jsonDialect } from './json-dialect.ts'

const ROOT = 'mill'
const say = (type: string, delta: string, more: Partial<Envelope> = {}): Envelope => ({
  type,
  agent: ROOT,
  final: true,
  delta,
  ...more,
})
const seed = jsonDialect({ extensions: 'none' })

function write(...envelopes: Envelope[]): Envelope[] {
  const messages = envelopes.map((envelope, index) => ({ id: index + 1, envelope }))
  return toFrames(seed, { root: ROOT }, messages).map(({ data = '' }) => decodeEnvelope(data))
}

const text = [say('text', 'a', { final: false }), say('text', '')]
const init = say('meta_init', '{}')
const end = say('meta_end', '{"stop_reason":"end_turn"}')

test('envelopes are what they are', () => {
  fc.assert(
    fc.property(anyLog, (log) => {
      expect(toFrames(jsonDialect(), log, log.messages)).toEqual(
        log.messages.map(({ envelope }) => ({ data: encodeEnvelope(envelope) })),
      )
    }),
    { numRuns: runs(20, 200) },
  )
})

describe('without extensions [EXT-2]', () => {
  test('any run is a valid stream of the thirteen types, and says the same up to a rollback', () => {
    const left = new Set(['meta_step', 'meta_end'])
    fc.assert(
      fc.property(anyLog, (log) => {
        const frames = toFrames(seed, log, log.messages)
        const verifier = createVerifier({ needsEnd: false })
        const place = frames.findIndex(
          ({ data }) => data?.includes('"type\\":\\"rollback') === true,
        )
        const first = place === -1 ? frames : frames.slice(0, place + 1)
        expect(first.flatMap(({ data = '' }) => verifier.push(data))).toEqual([])
        expect(verifier.end(true)).toEqual([])
        const whole = log.messages.map(({ envelope }) => envelope)
        const before = whole.slice(0, whole.findIndex(({ type }) => type === 'rollback') >>> 0)
        const kept = before.filter(({ type }) => !left.has(type))
        const said = frames.slice(0, kept.length).map(({ data = '' }) => decodeEnvelope(data))
        expect(said).toEqual(kept.map(({ is_error, redacted, server_name, ...known }) => known))
      }),
      { numRuns: runs(200, 2000) },
    )
  })

  test('what the seed does not know is left out', () => {
    const call = { id: 'c', name: 'n' }
    const told = write(
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
    expect(told).toEqual([
      init,
      say('text', 'ab', { final: false }),
      say('text', ''),
      say('tool_call', '{}', call),
      say('tool_result', 'x', call),
    ])
  })

  test('a rollback is an error and the end, with what is open closed', () => {
    const child = { agent: 'child' }
    const told = write(
      init,
      say('text', 'b', { final: false, ...child }),
      ...text,
      say('rollback', '{"step":1}'),
      say('text', '', child),
      ...text,
      end,
    )
    expect(told.map(({ type, agent }) => `${agent} ${type}`)).toEqual([
      'mill meta_init',
      'child text',
      'mill text',
      'mill text',
      'child text',
      'mill error',
    ])
    expect(told[4]).toEqual(say('text', '', child))
    expect(JSON.parse(told[5]?.delta ?? '')).toMatchObject({ type: 'rollback', retriable: true })
  })

  test('a run that begins after a rollback without an end is told', () => {
    expect(write(init, ...text, say('rollback', '{}'), ...text, init, ...text)).toHaveLength(7)
  })
})
