import type { JsonObject } from 'millrace'
import type { Answer, Implementation, Task } from '../implementation.ts'
import { chunkCase } from './chunk-case.ts'
import { costCase } from './cost-case.ts'
import { decodeEvents } from './decode-events.ts'
import { decodeXml } from './decode-xml.ts'
import { flowCase } from './flow-case.ts'
import { formatEnvelopes, formatXml } from './format-events.ts'
import { parseFormats, parseNativeCalls, parseSegments } from './parse-segments.ts'
import { readTranscript } from './read-transcript.ts'

/** The output of this library, by kind of task. */
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
