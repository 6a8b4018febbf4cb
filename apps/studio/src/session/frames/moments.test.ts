import { chunkPayload, createTranscript, encodeEnvelope } from 'millrace'
import type { Transcript } from 'millrace'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createFrameLog } from './frame-log.ts'
import { createMoments } from './moments.ts'
import { reduceFrame } from './reduce-frame.ts'

const agents = ['root', 'left']
const delta = (type: string) =>
  fc
    .record({
      agent: fc.constantFrom(...agents),
      text: fc.string({ maxLength: 4 }),
      final: fc.boolean(),
    })
    .map(({ agent, text, final }) => [encodeEnvelope({ type, agent, final, delta: text })])
const payload = (type: string, value: object) =>
  fc
    .constantFrom(...agents)
    .map((agent) => [
      ...chunkPayload({ type, agent, payload: JSON.stringify(value), maxBytes: 512 }),
    ])
const piece = fc.oneof(
  { weight: 6, arbitrary: delta('text') },
  { weight: 2, arbitrary: delta('thinking') },
  payload('meta_init', { user_query: 'q'.repeat(900) }),
  payload('meta_step', { step: 1 }),
  payload('rollback', {}),
  payload('meta_end', { stop_reason: 'end_turn' }),
  fc.constant(['[DONE]']),
  fc.constant(['nonsense']),
)
const lines = fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.flat())

interface Plan {
  readonly lines: readonly string[]
  readonly interval: number
  readonly published: number
  readonly maxFrames: number
}

/** Plays a session that publishes in batches of frames, as network chunks arrive. */
function play({ lines: all, interval, published, maxFrames }: Plan) {
  const log = createFrameLog({ maxFrames, schedule: (callback) => callback() })
  const moments = createMoments({ getFrames: log.getSnapshot, interval })
  const truth: Transcript[] = [createTranscript()]
  let id = 0
  for (const data of all) {
    const frame = { id: data === '[DONE]' ? undefined : ++id, data }
    truth.push(reduceFrame(truth.at(-1)!, log.add(frame)))
    const count = truth.length - 1
    if (count % published === 0) moments.keep(count, truth[count]!)
  }
  return { moments, truth }
}

const plan = fc.record({
  lines,
  interval: fc.integer({ min: 1, max: 20 }),
  published: fc.integer({ min: 1, max: 9 }),
  maxFrames: fc.constant(1_000),
})

const plain = (transcript: Transcript): unknown =>
  JSON.parse(
    JSON.stringify(transcript, (_, value: unknown) => (isList(value) ? [...value] : value)),
  )

function isList(value: unknown): value is Iterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.iterator in value
}

test('a moment equals a reduction from the start, in any order of requests', () => {
  fc.assert(
    fc.property(plan, fc.array(fc.nat(), { maxLength: 12 }), (each, asked) => {
      const { moments, truth } = play(each)
      for (const at of asked) {
        const count = at % truth.length
        expect(plain(moments.transcriptAt(count))).toEqual(plain(truth[count]!))
      }
      expect(moments.earliest()).toBe(0)
      expect(plain(moments.transcriptAt(Infinity))).toEqual(plain(truth.at(-1)!))
    }),
  )
})

test('a moment whose frames were dropped is the earliest available one', () => {
  fc.assert(
    fc.property(plan, fc.array(fc.nat(), { maxLength: 12 }), (each, asked) => {
      const { moments, truth } = play({ ...each, maxFrames: 20 })
      const earliest = moments.earliest()
      fc.pre(earliest < truth.length)
      for (const at of asked) {
        const count = at % truth.length
        const shown = plain(moments.transcriptAt(count))
        // The last shown moment may still be available.
        if (count >= earliest) expect(shown).toEqual(plain(truth[count]!))
      }
    }),
  )
})
