import { encodeSse } from 'millrace'
import { type Formatter, jsonFormatter, rawFormatter, xmlFormatter } from 'millrace/formatters'
import type { Bench, BenchCase, Contender } from '../bench-case.ts'
import { AGENT, cut, demand, prose } from '../deltas.ts'
import { toBench } from '../report.ts'

/** Deltas of about the length that the Messages API sends. */
const DELTA_LENGTH = 12
const BASE_EVENTS = 12_000

interface ApiEvent {
  readonly type: string
  readonly [field: string]: unknown
}

type Input = ApiEvent | Uint8Array

/** One answer: some thinking, a text, a call, with events for each. */
function eventsAt(scale: number): ApiEvent[] {
  const third = (scale * BASE_EVENTS) / 3
  const deltas = cut(prose(third * DELTA_LENGTH), DELTA_LENGTH)
  const input = cut(JSON.stringify({ text: prose(third * DELTA_LENGTH) }), DELTA_LENGTH)
  const block = (index: number, content: object, pieces: readonly object[]): ApiEvent[] => [
    { type: 'content_block_start', index, content_block: content },
    ...pieces.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ]
  const usage = { input_tokens: 1, output_tokens: 1 }
  const call = { type: 'tool_use', id: 'toolu_1', name: 'grind', input: {} }
  return [
    { type: 'message_start', message: { id: 'msg_1', model: 'm', content: [], usage } },
    ...block(
      0,
      { type: 'thinking', thinking: '' },
      deltas.map((thinking) => ({ type: 'thinking_delta', thinking })),
    ),
    ...block(
      1,
      { type: 'text', text: '' },
      deltas.map((text) => ({ type: 'text_delta', text })),
    ),
    ...block(
      2,
      call,
      input.map((partial_json) => ({ type: 'input_json_delta', partial_json })),
    ),
    { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage },
    { type: 'message_stop' },
  ]
}

/** The same answer in the form of the API, in network chunks of 16 KiB. */
function bytesAt(scale: number): Uint8Array[] {
  const frames = eventsAt(scale).map((event) =>
    encodeSse({ event: event.type, data: JSON.stringify(event) }),
  )
  const bytes = new TextEncoder().encode(frames.join(''))
  const chunks: Uint8Array[] = []
  for (let at = 0; at < bytes.length; at += 16_384) chunks.push(bytes.slice(at, at + 16_384))
  return chunks
}

function format(
  name: string,
  inputsAt: (scale: number) => readonly Input[],
  create: () => Formatter,
): Contender {
  return {
    name,
    prepare(scale) {
      const inputs = inputsAt(scale)
      // As in the case of dialects: a server has other streams when memory is collected.
      let other: unknown
      return () => {
        const formatter = create()
        let length = 0
        for (const input of inputs)
          for (const { data = '' } of formatter.feed(input)) length += data.length
        for (const { data = '' } of formatter.finish()) length += data.length
        demand(length > scale * BASE_EVENTS * DELTA_LENGTH, name)
        other = formatter
        return other
      }
    },
  }
}

/** The minimum work of any writer of envelopes: one object for each event, as JSON. */
const stringify: Contender = {
  name: 'JSON.stringify alone, an envelope an event',
  prepare(scale) {
    const deltas = cut(prose(scale * BASE_EVENTS * DELTA_LENGTH), DELTA_LENGTH)
    return () => {
      let length = 0
      for (const delta of deltas) {
        length += JSON.stringify({ type: 'text', agent: AGENT, final: false, delta }).length
      }
      return length
    }
  },
}

/** The minimum work of any writer whose input is bytes. */
const parseAndStringify: Contender = {
  name: 'JSON.parse and JSON.stringify alone, of the data of the frames',
  prepare(scale) {
    const lines = eventsAt(scale).map((event) => JSON.stringify(event))
    return () => {
      let length = 0
      for (const line of lines) length += JSON.stringify(JSON.parse(line)).length
      return length
    }
  },
}

function toCase(ours: Contender, floor: Contender): BenchCase {
  return {
    name: 'formatters',
    job: `an answer of thinking, text and a call, 96,000 events at 8×: ${ours.name}`,
    unit: 'event',
    count: (scale) => scale * BASE_EVENTS,
    ours,
    floor,
    peers: [],
  }
}

const cases: readonly BenchCase[] = [
  toCase(
    format('jsonFormatter, events', eventsAt, () => jsonFormatter({ agent: AGENT })),
    stringify,
  ),
  toCase(
    format('xmlFormatter, events', eventsAt, () => xmlFormatter({ agent: AGENT })),
    stringify,
  ),
  toCase(
    format('jsonFormatter, bytes', bytesAt, () => jsonFormatter({ agent: AGENT })),
    parseAndStringify,
  ),
  toCase(
    format('rawFormatter, bytes', bytesAt, () => rawFormatter()),
    parseAndStringify,
  ),
]

/** Measures the cost of converting a provider's stream to frames. */
export const formattersBench: Bench = {
  name: 'formatters',
  async run(onProgress, options) {
    const texts: string[] = []
    const faults: string[] = []
    for (const one of cases) {
      const report = await toBench(one).run(onProgress, options)
      texts.push(report.text)
      faults.push(...report.faults)
    }
    return { text: texts.join('\n\n'), faults }
  },
}
