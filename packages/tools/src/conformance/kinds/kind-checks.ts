import { decodeEnvelope, isJsonObject, type JsonObject, type JsonValue, encodeSse } from 'millrace'
import { xmlToEnvelopes } from 'millrace/legacy-xml'
import type { NativeDelta, ToolInvocation } from 'millrace/segments'
import { z } from 'zod'
import {
  decodeOutput,
  difference,
  differences,
  isSameJson,
  type Expectations,
} from '../differences.ts'
import { foldBlocks } from '../feedings/fold-blocks.ts'
import type { MergedSegment } from '../feedings/merge-segments.ts'
import { nativeTasks, textTasks } from '../feedings/text-feedings.ts'
import { createSegmentJudge } from '../segment-judge.ts'
import { checkChunking } from './check-chunking.ts'
import { checkEnvelopes } from './check-envelopes.ts'
import { checkFormats } from './check-formats.ts'
import { checkFormatted } from './check-formatted.ts'
import { checkFlow } from '../flow/check-flow.ts'
import type { KindCheck, CaseTask } from './kind-check.ts'
import { feedings, type Feeding } from '../feedings/feedings.ts'

const word = z.string().nullish()
const sseOutput = z.looseObject({
  events: z.array(z.looseObject({ data: z.string(), event: word, id: word })),
  last_event_id: z.string(),
  retry: z.number().nullish(),
})

/** Checks the decoding of bytes into events, in the chunks of the case and in every other feeding. */
const checkSse: KindCheck = {
  *tasks(input) {
    const chunks = (input['chunks_b64'] as readonly string[]).map(
      (text) => new Uint8Array(Buffer.from(text, 'base64')),
    )
    const own: Feeding = { name: 'its own pieces', cut: () => chunks }
    const bytes = new Uint8Array(Buffer.concat(chunks))
    for (const { name, cut } of [own, ...feedings()])
      yield { input: {}, feeding: name, fed: { form: 'bytes', pieces: cut(bytes) } }
  },
  createJudge: (expected) => (output) => {
    const decoded = decodeOutput(sseOutput, output)
    return differences(expected, { ...decoded, data: decoded.events.map(({ data }) => data) })
  },
}

const costOutput = z.object({
  cost: z.custom<JsonObject>(isJsonObject, 'must be an object').nullable(),
})

/** Checks the cost of requests by their usage, with the prices of the case over those of the table. */
const checkCost: KindCheck = {
  tasks: (input) => [{ input }],
  createJudge: (expected) => (output) => {
    const { cost } = decodeOutput(costOutput, output)
    return differences(expected, { ...withShortNames(cost ?? {}), cost })
  },
}

/** A case may name a field with or without its last word: `total_cost` or `total`. */
function withShortNames(cost: JsonObject): JsonObject {
  const short = Object.entries(cost).map(([name, value]): [string, JsonValue] => [
    name.replace(/_(?:cost|applied)$/, ''),
    value,
  ])
  return { ...Object.fromEntries(short), ...cost }
}

/** Checks the segments that the strategies of the streaming parser design find in a text. */
const checkSegments: KindCheck = {
  tasks: ({ chunks, ...input }, units) => textTasks(chunks as readonly string[], input, units),
  createJudge: (expected, { chunks }) =>
    createSegmentJudge(
      (segments, invocations) => segmentDifferences(expected, segments, invocations),
      { text: (chunks as readonly string[]).join(''), hidden: expected['hidden'] },
    ),
}

const expectations: Expectations<readonly string[]> = {
  data: (wanted, found) => compareData(wanted as readonly string[], found),
  no_raw_cr_or_lf: (_, found) =>
    found
      .filter((data) => /[\r\n]/.test(data))
      .map((data) => difference('no_raw_cr_or_lf', 'no CR or LF', data)),
  decodes_to: (wanted, found) =>
    differences(wanted, foldBlocks(xmlToEnvelopes(found)), 'decodes_to'),
}

/** Checks the legacy XML of provider events. */
const checkXml = checkFormatted({ expectations })

/** Matches envelopes that contain JSON, in three parts: the text before it, the JSON as written, the text after it. */
const withJson =
  /^(<content-block-(?:server_)?tool_(?:call|result) .*?(?:arguments="|<!\[CDATA\[))(.*)("><\/[\w-]+>|\]\]><\/[\w-]+>)$/

const schema = z.object({ messages: z.array(z.unknown()) })

const checkLegacyXml: KindCheck = {
  tasks: ({ data, ...input }) => framedTasks(data, input),
  createJudge: (expected) => (output) => {
    const messages = decodeOutput(schema, output).messages.map((message) =>
      decodeEnvelope(JSON.stringify(message)),
    )
    const said = messages.filter(({ type }) => type !== 'meta_init')
    return differences(expected, { agent: messages[0]?.agent ?? null, blocks: foldBlocks(said) })
  },
}

const checkNativeCalls: KindCheck = {
  tasks: ({ chunks }, units) => nativeTasks(chunks as readonly NativeDelta[], units),
  createJudge: (expected) =>
    createSegmentJudge(
      (segments, invocations) => segmentDifferences(expected, segments, invocations),
      { mayOverlap: true },
    ),
}

/** Checks the transcript after a stream of envelopes. */
const checkTranscript: KindCheck = {
  tasks: ({ data, ...input }) => framedTasks(data, input),
  createJudge: (expected) => (output) => differences(expected, output),
}

/** The checks of cases, by kind. */
export const kindChecks: Readonly<Record<string, KindCheck>> = {
  agent_flow: checkFlow,
  chunking: checkChunking,
  cost: checkCost,
  envelopes_to_ui: checkTranscript,
  events_to_envelopes: checkEnvelopes,
  events_to_xml: checkXml,
  formats: checkFormats,
  native_tool_calls: checkNativeCalls,
  segments: checkSegments,
  sse_decode: checkSse,
  xml_to_json: checkLegacyXml,
}

function compareData(wanted: readonly string[], found: readonly string[]): string[] {
  if (wanted.length !== found.length) return [difference('data', wanted, found)]
  return wanted.flatMap((message, index) => {
    const other = found[index] ?? ''
    return isSameMessage(message, other) ? [] : [difference(`data[${index}]`, message, other)]
  })
}

/** Compares bytes, except for white space in JSON: the old encoder encoded arguments again, ours are the model's own. [XML-18] */
function isSameMessage(wanted: string, found: string): boolean {
  if (wanted === found) return true
  const [, before, , after] = withJson.exec(wanted) ?? []
  const [, foundBefore, , foundAfter] = withJson.exec(found) ?? []
  if (before === undefined || before !== foundBefore || after !== foundAfter) return false
  return isSameJson(jsonOf(wanted), jsonOf(found))
}

function jsonOf(message: string): unknown {
  const [envelope] = xmlToEnvelopes([message])
  return JSON.parse(envelope?.delta ?? '')
}

/** Returns the differences between segments and invocations and those that a case expects. */
function segmentDifferences(
  expected: JsonObject,
  segments: readonly MergedSegment[],
  invocations: readonly ToolInvocation[],
): string[] {
  const wanted = expected['segments'] as readonly JsonObject[]
  const found = segments.map(toView)
  const isSame =
    wanted.length === found.length &&
    wanted.every((item, index) => isSameSegment(item, found[index] ?? {}))
  const calls = invocations.map(({ id, name, arguments: values }) => ({
    id,
    name,
    arguments: values,
  }))
  return [
    ...(isSame ? [] : [difference('segments', wanted, found)]),
    ...(isSameJson(expected['invocations'] ?? [], calls)
      ? []
      : [difference('invocations', expected['invocations'], calls)]),
  ]
}

function toView({ type, metadata, content, end }: MergedSegment): JsonObject {
  const view = { type, metadata, content, ended: end !== undefined }
  return {
    ...view,
    ...(end?.complete === false && { complete: false }),
    end: { ...end },
  }
}

/** A case with the payload of an end is compared exactly; others ignore the name of the tool. */
function isSameSegment(wanted: JsonObject, view: JsonObject): boolean {
  if (wanted['end'] !== undefined) return isSameJson(wanted, view)
  const { end: _, ...found } = view
  if (isSameJson(wanted, found)) return true
  const { metadata, ...rest } = found
  return isSameJson(wanted, { ...rest, metadata: withoutToolName(metadata) })
}

function withoutToolName(metadata: JsonValue | undefined): JsonObject {
  if (!isJsonObject(metadata)) return {}
  const { tool_name: _name, ...rest } = metadata
  return rest
}

/** Yields tasks with payloads as SSE frames, in every feeding; the input is the rest of the case. */
function* framedTasks(payloads: JsonValue | undefined, input: JsonObject): Generator<CaseTask> {
  if (!Array.isArray(payloads)) throw new Error('a case without a list of payloads in data')
  const bytes = new TextEncoder().encode(payloads.map(toFrame).join(''))
  for (const { name, cut } of feedings())
    yield { input, feeding: name, fed: { form: 'bytes', pieces: cut(bytes) } }
}

/** The `seq` of a case is the id of the frame. */
function toFrame(payload: JsonValue): string {
  if (typeof payload === 'string') return encodeSse({ data: payload })
  if (!isJsonObject(payload) || typeof payload['seq'] !== 'number')
    return encodeSse({ data: JSON.stringify(payload) })
  const { seq, ...message } = payload
  return encodeSse({ data: JSON.stringify(message), id: String(seq) })
}
