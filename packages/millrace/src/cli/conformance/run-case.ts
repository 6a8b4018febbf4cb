import type { JsonObject } from '../../json/index.ts'
import { checkChunking } from './check-chunking.ts'
import { checkCost } from './check-cost.ts'
import { checkEnvelopes } from './check-envelopes.ts'
import { checkFormats } from './check-formats.ts'
import { checkLegacyXml } from './check-legacy-xml.ts'
import { checkNativeCalls } from './check-native-calls.ts'
import { checkSegments } from './check-segments.ts'
import { checkSse } from './check-sse.ts'
import { checkTranscript } from './check-transcript.ts'
import { checkXml } from './check-xml.ts'
import { type ConformanceCase, UNREADABLE } from './conformance-case.ts'
import { checkFlow } from './flow/check-flow.ts'

/** How each kind of case is checked; the answer lists what differs. */
const checks: Readonly<
  Record<string, (input: JsonObject, expected: JsonObject) => string[] | Promise<string[]>>
> = {
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

/** The outcome of one case: what differs, or nothing if it passed. */
export interface CaseOutcome {
  readonly name: string
  readonly kind: string
  readonly faults: readonly string[]
}

/** Runs one case; a kind that is not supported counts as failed. */
export async function runCase({
  name,
  kind,
  input,
  expected,
}: ConformanceCase): Promise<CaseOutcome> {
  const check = Object.hasOwn(checks, kind) ? checks[kind] : undefined
  if (check === undefined) return { name, kind, faults: [excuse(kind)] }
  try {
    return { name, kind, faults: await check(input, expected) }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return { name, kind, faults: [`threw ${message}`] }
  }
}

function excuse(kind: string): string {
  if (kind !== UNREADABLE) return `kind ${kind} is not supported yet`
  return 'the line is not a case: a JSON object with name, kind, input and expected, or one of segments or formats'
}
