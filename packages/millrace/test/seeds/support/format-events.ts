import { decodeEnvelope, type Envelope } from '../../../src/events/index.ts'
import type { Formatter } from '../../../src/formatters/formatter.ts'
import {
  jsonFormatter,
  type JsonFormatterOptions,
  xmlFormatter,
} from '../../../src/formatters/wire-formatter.ts'
import { rawFormatter } from '../../../src/formatters/raw-formatter.ts'
import type { JsonObject } from '../../../src/json/index.ts'
import {
  blockDelta,
  blockStart,
  blockStop,
  messageEnd,
  messageStart,
  toBody,
} from '../../support/models/anthropic-events.ts'

/** The agent of all formatted streams. */
export const AGENT = 'abc-123'

/** Feeds events as bytes in the form of the API. */
function feedAll(formatter: Formatter, events: readonly JsonObject[]): string[] {
  const frames = events.flatMap((event) => formatter.feed(toBody([event])))
  return [...frames, ...formatter.finish()].map(({ data = '' }) => data)
}

/** A whole message of the API around the events of its blocks. */
export function message(...events: readonly JsonObject[]): JsonObject[] {
  return [messageStart(), ...events, ...messageEnd()]
}

/** The lines of the JSON formatter for a message. */
export function jsonLines(
  events: readonly JsonObject[],
  options: Partial<JsonFormatterOptions> = {},
): string[] {
  return feedAll(jsonFormatter({ agent: AGENT, ...options }), events)
}

/** The same lines as values. */
export function jsonMessages(
  events: readonly JsonObject[],
  options: Partial<JsonFormatterOptions> = {},
): Envelope[] {
  return jsonLines(events, options).map(decodeEnvelope)
}

/** The data of the SSE messages of the XML formatter for a message. */
export function xmlData(events: readonly JsonObject[]): string[] {
  return feedAll(xmlFormatter({ agent: AGENT }), events)
}

/** The XML of a message as one string. */
export function xmlText(events: readonly JsonObject[]): string {
  return xmlData(events).join('')
}

/** The data of the frames that the raw formatter passes on. */
export function rawData(events: readonly JsonObject[]): string[] {
  return feedAll(rawFormatter(), events)
}

/** Returns the output of a formatter for each single event. */
export function jsonSteps(events: readonly JsonObject[]): Envelope[][] {
  const formatter = jsonFormatter({ agent: AGENT })
  return events.map((event) =>
    formatter.feed(toBody([event])).map(({ data = '' }) => decodeEnvelope(data)),
  )
}

/** A text block with citations, as the API streams them. */
export function citedText(text: string, ...citations: readonly JsonObject[]): JsonObject[] {
  return [
    blockStart(0, { type: 'text', text: '', citations: [] }),
    ...citations.map((citation) => blockDelta(0, 'citations_delta', { citation })),
    blockDelta(0, 'text_delta', { text }),
    blockStop(0),
  ]
}

/** A call block of a type, with its arguments in pieces. */
export function callBlock(
  type: 'tool_use' | 'server_tool_use',
  { id, name }: { readonly id: string; readonly name: string },
  ...pieces: readonly string[]
): JsonObject[] {
  return [
    blockStart(0, { type, id, name, input: {} }),
    ...pieces.map((partial_json) => blockDelta(0, 'input_json_delta', { partial_json })),
    blockStop(0),
  ]
}

/** A block whose start event is complete. */
export function wholeBlock(block: JsonObject, index = 0): JsonObject[] {
  return [blockStart(index, block), blockStop(index)]
}
