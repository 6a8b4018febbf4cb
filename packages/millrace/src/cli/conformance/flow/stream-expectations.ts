import type { Envelope } from '../../../envelope/index.ts'
import { type JsonObject, type JsonValue, parseJsonObject } from '../../../json/index.ts'
import { toView } from '../../../testing/index.ts'
import { finalText, rootAgent } from '../../../transcript/index.ts'
import { difference, differences } from '../differences.ts'
import { isSameJson } from '../same-json.ts'
import { objectsOf } from './flow-blocks.ts'
import type { FlowExpectation } from './flow-expectation.ts'
import { matchTypes } from './match-types.ts'
import type { FlowReport } from './run-flow.ts'

/** What a case may expect of the streams that clients read. */
export const streamExpectations: Readonly<Record<string, FlowExpectation>> = {
  /** Of the last stream, or of all of them one after the other. */
  types: (wanted, { streams }) => {
    const types = wanted as readonly string[]
    const ofLast = matchTypes(types, streams.slice(-1))
    return ofLast.length > 0 && matchTypes(types, streams).length === 0 ? [] : ofLast
  },
  no_types: (wanted, report) => {
    const found = new Set(messagesOf(report).map(({ type }) => type))
    const unwanted = (wanted as readonly string[]).filter((type) => found.has(type))
    return unwanted.map((type) => difference('no_types', `no ${type}`, type))
  },
  http_status: (wanted, { streams }) => differences(wanted, streams.at(-1)?.status, 'http_status'),
  http_error: (wanted, { streams }) =>
    differences(wanted, streams.at(-1)?.error?.['error'], 'error'),
  stop_reason: (wanted, report) => compareLast(wanted, report, 'meta_end', 'stop_reason'),
  total_steps: (wanted, report) => compareLast(wanted, report, 'meta_end', 'total_steps'),
  usage: (wanted, report) => compareLast(wanted, report, 'meta_end', 'usage'),
  error: (wanted, report) => differences(wanted, payloadsOf(report, 'error').at(-1), 'error'),
  meta_init_has: (wanted, report) =>
    hasFields(wanted, payloadsOf(report, 'meta_init')[0], 'meta_init'),
  meta_final_has: (wanted, report) =>
    hasFields(wanted, payloadsOf(report, 'meta_final').at(-1), 'meta_final'),
  meta_init_user_query_json: (wanted, report) => {
    const query = String(payloadsOf(report, 'meta_init')[0]?.['user_query'])
    return isSameJson(wanted, parse(query)) ? [] : [difference('user_query', wanted, query)]
  },
  results: (wanted, report) =>
    differences(wanted, messagesOf(report).filter(isResult).length, 'results'),
  envelope_is_error: (wanted, report) => {
    const found = messagesOf(report).some((one) => isResult(one) && one['is_error'] === true)
    return differences(wanted, found, 'envelope_is_error')
  },
  /** The stages of calls by their ids. */
  tool_stages: (wanted, report) => {
    const stages: Record<string, string[]> = {}
    for (const { type, id = '', stage } of messagesOf(report))
      if (type === 'tool_status') (stages[id] ??= []).push(String(stage))
    return differences(wanted, stages, 'tool_stages')
  },
  status: (wanted, { transcript }) => differences(wanted, transcript.status, 'status'),
  client_text: (wanted, { transcript }) =>
    differences(wanted, finalText(transcript), 'client_text'),
  open_blocks_closed: (wanted, { transcript }) => {
    const isClosed = [...transcript.agents].every(({ blocks }) =>
      [...blocks].every(({ done }) => done),
    )
    return differences(wanted, isClosed, 'open_blocks_closed')
  },
  /** What a person sees of the root. */
  blocks: (wanted, report) => differences(wanted, blocksOf(report), 'blocks'),
  /** What a person sees of the sub-agents, in order of appearance. */
  children: (wanted, report) => differences(wanted, viewsOf(report).slice(1), 'children'),
}

function messagesOf({ streams }: FlowReport): readonly Envelope[] {
  return streams.flatMap(({ messages }) => messages)
}

/** What messages of a type say of the root, in order. */
function payloadsOf(report: FlowReport, type: string): readonly JsonObject[] {
  return messagesOf(report)
    .filter((message) => message.type === type && message.agent === report.session)
    .map(({ delta }) => parseJsonObject(delta) ?? {})
}

function compareLast(wanted: JsonValue, report: FlowReport, type: string, field: string): string[] {
  return differences(wanted, payloadsOf(report, type).at(-1)?.[field], field)
}

function hasFields(wanted: JsonValue, found: JsonObject | undefined, name: string): string[] {
  const missing = (wanted as readonly string[]).filter((field) => found?.[field] === undefined)
  return missing.map((field) => difference(name, field, found))
}

function isResult({ type }: Envelope): boolean {
  return type === 'tool_result'
}

function viewsOf({ transcript }: FlowReport): readonly JsonObject[] {
  const { agents } = toView(transcript)
  return objectsOf(Object.values(agents as JsonObject))
}

function blocksOf(report: FlowReport): JsonValue {
  const isEmpty = rootAgent(report.transcript) === undefined
  return isEmpty ? [] : (viewsOf(report)[0]?.['blocks'] ?? [])
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
