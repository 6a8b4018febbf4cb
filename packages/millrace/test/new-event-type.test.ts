import { expect, test } from 'vitest'
import { createFrameLog } from '../../../apps/studio/src/session/frames/frame-log.ts'
import { createTranscript, reduceTranscript } from '../src/client/transcript/index.ts'
import { decodeEnvelope, type EnvelopeTraits } from '../src/envelope/index.ts'
import { withRow } from '../src/envelope/find-traits.ts'
import { type AgentEvent, createDecoder, createVerifier } from '../src/events/index.ts'
import { createEnvelopeWriter } from '../src/exit/index.ts'
import { agUiDialect, aiSdkDialect, type Dialect, openDialect } from '../src/protocols/index.ts'

/** The row of a type that does not exist: CONTRIBUTING.md says how to add one. */
const row: EnvelopeTraits = {
  emission: 'buffered',
  delta: 'json',
  unit: 'block',
  origin: 'extension',
  step: 'outside',
  needsClosedBlocks: true,
  event: 'grain_sorted',
  members: { kilograms: ['kilograms', 'number'], mill: 'mill_name' },
  fallback: 'data',
  sender: 'agent',
  required: {},
  optional: {},
}

const agent = 'mill'
const usage = { input_tokens: 1, output_tokens: 1 }
const start: AgentEvent = {
  type: 'run_start',
  agent,
  runId: 'r',
  prompt: 'Sort.',
  model: 'm',
  messages: [],
}
const end: AgentEvent = {
  type: 'run_end',
  agent,
  stopReason: 'end_turn',
  steps: 1,
  usage,
  messages: [],
  files: [],
}
const openText: readonly AgentEvent[] = [
  { type: 'block_start', agent, block: 0, kind: 'text', content: { type: 'text' } },
  { type: 'block_delta', agent, block: 0, text: 'Rye.' },
]
// No agent of ours emits it, so no type names it.
const sorted = { type: 'grain_sorted', agent, kilograms: 3, mill: 'Brook' } as unknown as AgentEvent

function write(events: readonly AgentEvent[]): readonly string[] {
  const writer = createEnvelopeWriter()
  return events.flatMap((event) => writer.write(event))
}

function violationsOf(lines: readonly string[]): readonly string[] {
  const verifier = createVerifier()
  return [...lines.flatMap((line) => [...verifier.push(line)]), ...verifier.end(true)].map(
    ({ rule }) => rule,
  )
}

function framesOf(dialect: Dialect, lines: readonly string[]): readonly unknown[] {
  const writer = openDialect(dialect, agent)
  return lines
    .flatMap((line, index) => [...writer.writeLine(line, index + 1, 1)])
    .map(({ data }) => JSON.parse(data ?? '') as unknown)
}

/** Runs a check with the row in the catalogue. */
const withType = (check: () => void) => withRow('meta_grain', row, check)

test('one row takes an event from an agent to its frame and back', () => {
  withType(() => {
    const lines = write([start, ...openText, sorted])
    // The row says that it closes what is open.
    expect(lines.map((line) => decodeEnvelope(line).type)).toEqual([
      'meta_init',
      'text',
      'text',
      'meta_grain',
    ])
    expect(decodeEnvelope(lines.at(-1)!).delta).toBe('{"kilograms":3,"mill_name":"Brook"}')
    const decoder = createDecoder()
    const event = lines.map((line) => decoder.decode(line)).at(-1)
    expect(event).toMatchObject({ type: 'grain_sorted', agent, kilograms: 3, mill: 'Brook' })
  })
  expect(() => write([start, sorted])).toThrow(/no row for the event grain_sorted/)
})

test('the verifier asks the row when it may come', () => {
  withType(() => {
    const [init = '', said = '', , grain = '', over = ''] = write([start, ...openText, sorted, end])
    expect(violationsOf([init, grain, over])).toEqual([])
    expect(violationsOf([init, said, grain, over])).toContain('LIFE-2')
    expect(violationsOf([init, over, grain])).toContain('LIFE-6')
  })
})

test('the transcript reads on after it', () => {
  withType(() => {
    const decoder = createDecoder({ after: 0 })
    const lines = write([start, sorted, end])
    const after = lines.reduce(
      (transcript, line, index) =>
        reduceTranscript(transcript, decoder.decode(line, index + 1), index + 1),
      createTranscript(),
    )
    expect([after.status, after.lastId]).toEqual(['complete', 3])
  })
})

test('protocols send it as a value, and nothing if the row says so', () => {
  withType(() => {
    const lines = write([start, sorted, end])
    const value = { kilograms: 3, mill_name: 'Brook' }
    expect(framesOf(aiSdkDialect(), lines)).toContainEqual(
      expect.objectContaining({ type: 'data-grain_sorted', data: expect.objectContaining(value) }),
    )
    expect(framesOf(agUiDialect(), lines)).toContainEqual(
      expect.objectContaining({ type: 'CUSTOM', value: expect.objectContaining(value) }),
    )
  })
  withRow('meta_grain', { ...row, fallback: 'drop' }, () => {
    const frames = JSON.stringify(framesOf(aiSdkDialect(), write([start, sorted, end])))
    expect(frames).not.toContain('grain')
  })
})

test('the wire of Studio shows its frame and its event', () => {
  withType(() => {
    const log = createFrameLog({ schedule: (callback) => callback() })
    for (const [index, data] of write([start, sorted]).entries()) log.add({ id: index + 1, data })
    const frame = log.getSnapshot().frames.at(-1)
    expect(frame).toMatchObject({ type: 'meta_grain', event: { type: 'grain_sorted' } })
  })
})
