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
import { checkFlow } from '../flow/check-flow.ts'
import type { KindCheck } from './kind-check.ts'

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
