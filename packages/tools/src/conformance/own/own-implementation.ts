import {
  chunkPayload,
  createSseDecoder,
  createTranscript,
  cutTranscript,
  DONE_DATA,
  endTranscript,
  type Extras,
  foreignError,
  isJsonObject,
  isMillraceError,
  type JsonObject,
  type JsonValue,
  type SseEvent,
  type Transcript,
} from 'millrace'
import { createMessageReader, type ModelEvent, type Usage } from 'millrace/anthropic'
import {
  type Formatter,
  jsonFormatter,
  type ProviderInput,
  xmlFormatter,
} from 'millrace/formatters'
import { createLegacyXmlDecoder } from 'millrace/legacy-xml'
import { addCost, costOf, noCost, noUsage, type PriceTable, toWireCost } from 'millrace/pricing'
import { createFrameReducer, toView } from 'millrace/testing'
import { decodeFlow } from '../flow/flow-input.ts'
import { runFlow } from '../flow/run-flow.ts'
import { toFlowOutput } from '../flow/to-flow-output.ts'
import type { Answer, Implementation, Task } from '../implementation.ts'
import { isSameJson } from '../differences.ts'
import {
  fedBytes,
  fedValues,
  parseFormats,
  parseNativeCalls,
  parseSegments,
} from './parse-segments.ts'

const outputs: Readonly<Record<string, (task: Task) => JsonObject | Promise<JsonObject>>> = {
  agent_flow: flowCase,
  chunking: chunkCase,
  cost: costCase,
  envelopes_to_ui: readTranscript,
  events_to_envelopes: formatEnvelopes,
  events_to_xml: formatXml,
  formats: parseFormats,
  native_tool_calls: parseNativeCalls,
  segments: parseSegments,
  sse_decode: decodeEvents,
  xml_to_json: decodeXml,
}

/** The kinds of cases that this library supports: all. */
export const ownKinds: readonly string[] = Object.keys(outputs)

/** This library, in this process. */
export const ownImplementation: Implementation = {
  supports: (kind) => Object.hasOwn(outputs, kind),
  units: 'utf-16',
  // Cases with timing must not disturb each other.
  ahead: 1,
  run: runOwn,
}

async function runOwn(task: Task): Promise<Answer> {
  const { kind } = task
  const toOutput = Object.hasOwn(outputs, kind) ? outputs[kind] : undefined
  if (toOutput === undefined) return { unsupported: `the kind ${kind}` }
  try {
    return { output: await toOutput(task) }
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) }
  }
}

/** Runs an agent by the script of a case over real HTTP; returns the observations. */
async function flowCase({ input }: Task): Promise<JsonObject> {
  return toFlowOutput(await runFlow(decodeFlow(input)))
}

function decodeXml(task: Task): JsonObject {
  const decoder = createLegacyXmlDecoder()
  const events = decodeFrames(task)
  const messages = [...events.flatMap(({ data }) => decoder.feed(data)), ...decoder.finish()]
  return { messages: messages as unknown as JsonObject[] }
}

function costCase({ input: { model, usage, prices = {} } }: Task): JsonObject {
  const options = { prices: prices as unknown as PriceTable }
  const reports = usage as readonly Usage[]
  const total = (reports.length > 0 ? reports : [noUsage])
    .map((report) => costOf(String(model), report, options))
    .reduce(addCost, noCost)
  return { cost: toWireCost(total) }
}

/** Decodes the bytes of a case into server-sent events. */
function decodeEvents(task: Task): JsonObject {
  const events: JsonObject[] = []
  let retry: number | null = null
  const decoder = createSseDecoder({
    onEvent: ({ data, event = null, id = null }) => events.push({ data, event, id }),
    onRetry: (retryMs) => (retry = retryMs),
  })
  for (const piece of fedBytes(task)) decoder.feed(piece)
  return { events, last_event_id: decoder.lastEventId, retry }
}

/** Splits the payload of a case into encoded frames. */
function chunkCase({ input }: Task): JsonObject {
  const { type, agent, payload, extras = {}, final_on_last: final, max_bytes: maxBytes } = input
  const lines = chunkPayload({
    type: String(type),
    agent: String(agent),
    payload: String(payload),
    extras: extras as Extras,
    final: final === true,
    ...(typeof maxBytes === 'number' ? { maxBytes } : {}),
  })
  return { lines: [...lines] }
}

/** Returns the view of a user after the envelopes of a case. */
function readTranscript(task: Task): JsonObject {
  return toView(readEvents(decodeFrames(task), task.input['closed'] === true))
}

/** Returns the transcript; a line that is not an envelope ends the stream and is shown as a failure. */
function readEvents(events: readonly SseEvent[], isClosed: boolean): Transcript {
  const reduce = createFrameReducer()
  let transcript = createTranscript()
  let isDone = false
  try {
    for (const { data, id } of events) {
      isDone = data === DONE_DATA
      const position = id === undefined ? undefined : Number(id)
      transcript = isDone ? endTranscript(transcript) : reduce(transcript, data, position)
    }
  } catch (error) {
    if (isMillraceError(error)) return foreignError(transcript, error.message)
    throw error
  }
  return isClosed && !isDone ? cutTranscript(transcript) : transcript
}

interface FormatterOptions {
  readonly agent: string
  readonly toolResults: boolean
}

/** Converts the events of a case to JSON envelopes. */
function formatEnvelopes(task: Task): JsonObject {
  return format(task, jsonFormatter)
}

/** Converts the events of a case to legacy XML. */
function formatXml(task: Task): JsonObject {
  return format(task, xmlFormatter)
}

function format(task: Task, create: (options: FormatterOptions) => Formatter): JsonObject {
  const { agent, stream_tool_results: results } = task.input
  const read = (inputs: Iterable<ProviderInput>): string[] => {
    const formatter = create({ agent: String(agent), toolResults: results !== false })
    const frames = [...inputs].flatMap((one) => formatter.feed(one))
    return [...frames, ...formatter.finish()].map((frame) => frame.data ?? '')
  }
  if (task.fed?.form === 'bytes') return { data: read(fedBytes(task)) }
  const events = [...fedValues(task)].filter(isEvent)
  const data = read(events)
  // A formatter also accepts the model events of a reader.
  if (!isSameJson(read(toModelEvents(events)), data))
    throw new Error(
      'model events yield other messages than the events from which they were created',
    )
  return { data }
}

function isEvent(value: JsonValue): value is JsonObject & { readonly type: string } {
  return isJsonObject(value) && typeof value['type'] === 'string'
}

function toModelEvents(events: readonly JsonObject[]): ModelEvent[] {
  let reader = createMessageReader()
  return events.flatMap((event) => {
    if (reader.ended && event['type'] === 'message_start') reader = createMessageReader()
    return reader.feed(event)
  })
}

function decodeFrames(task: Task): readonly SseEvent[] {
  const events: SseEvent[] = []
  const decoder = createSseDecoder({ onEvent: (event) => events.push(event) })
  for (const piece of fedBytes(task)) decoder.feed(piece)
  return events
}
