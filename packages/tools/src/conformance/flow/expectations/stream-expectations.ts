import {
  type Envelope,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  parseJsonObject,
  traitsOf,
} from 'millrace'
import { difference, differences, isSameJson } from '../../differences.ts'
import { objectsOf } from '../flow-output.ts'
import type { FlowExpectation, FlowFound, FoundStream } from '../flow-found.ts'
import { parseJsonOr } from '../../../parse-json-or.ts'

/** The mark of the end of a stream among its types. */
const DONE = '[DONE]'

/** Expectations about streams, by name. */
export const streamExpectations: Readonly<Record<string, FlowExpectation>> = {
  /** Of the last stream, or of all of them in sequence. */
  types: (wanted, { streams }) => {
    const types = wanted as readonly string[]
    const ofLast = matchTypes(types, streams.slice(-1))
    return ofLast.length > 0 && matchTypes(types, streams).length === 0 ? [] : ofLast
  },
  no_types: (wanted, output) => {
    const found = new Set(messagesOf(output).map(({ type }) => type))
    const unwanted = (wanted as readonly string[]).filter((type) => found.has(type))
    return unwanted.map((type) => difference('no_types', `no ${type}`, type))
  },
  http_status: (wanted, { streams }) => differences(wanted, streams.at(-1)?.status, 'http_status'),
  http_error: (wanted, { streams }) => differences(wanted, streams.at(-1)?.error, 'error'),
  stop_reason: (wanted, output) => compareLast(wanted, output, 'meta_end', 'stop_reason'),
  total_steps: (wanted, output) => compareLast(wanted, output, 'meta_end', 'total_steps'),
  usage: (wanted, output) => compareLast(wanted, output, 'meta_end', 'usage'),
  error: (wanted, output) => differences(wanted, payloadsOf(output, 'error').at(-1), 'error'),
  meta_init_has: (wanted, output) =>
    hasFields(wanted, payloadsOf(output, 'meta_init')[0], 'meta_init'),
  meta_final_has: (wanted, output) =>
    hasFields(wanted, payloadsOf(output, 'meta_final').at(-1), 'meta_final'),
  meta_init_user_query_json: (wanted, output) => {
    const query = String(payloadsOf(output, 'meta_init')[0]?.['user_query'])
    return isSameJson(wanted, parseJsonOr(query, undefined))
      ? []
      : [difference('user_query', wanted, query)]
  },
  results: (wanted, output) =>
    differences(wanted, messagesOf(output).filter(isResult).length, 'results'),
  envelope_is_error: (wanted, output) => {
    const found = messagesOf(output).some((one) => isResult(one) && one['is_error'] === true)
    return differences(wanted, found, 'envelope_is_error')
  },
  /** The stages of calls, by their ids. */
  tool_stages: (wanted, output) => {
    const stages: Record<string, string[]> = {}
    for (const { type, id = '', stage } of messagesOf(output))
      if (type === 'tool_status') (stages[id] ??= []).push(String(stage))
    return differences(wanted, stages, 'tool_stages')
  },
  status: (wanted, { shown }) => differences(wanted, shown['status'], 'status'),
  client_text: (wanted, { shown }) => differences(wanted, shown['final_text'], 'client_text'),
  open_blocks_closed: (wanted, output) => {
    const blocks = viewsOf(output).flatMap((agent) => objectsOf(agent['blocks']))
    const isClosed = blocks.every(({ done }) => done === true)
    return differences(wanted, isClosed, 'open_blocks_closed')
  },
  blocks: (wanted, output) => differences(wanted, blocksOf(output), 'blocks'),
  /** The views of the sub-agents, in order of appearance. */
  children: (wanted, output) => differences(wanted, viewsOf(output).slice(1), 'children'),
}

function messagesOf({ streams }: FlowFound): readonly Envelope[] {
  return streams.flatMap(({ messages }) => messages)
}

function payloadsOf(output: FlowFound, type: string): readonly JsonObject[] {
  return messagesOf(output)
    .filter((message) => message.type === type && message.agent === output.session)
    .map(({ delta }) => parseJsonObject(delta) ?? {})
}

function compareLast(wanted: JsonValue, output: FlowFound, type: string, field: string): string[] {
  return differences(wanted, payloadsOf(output, type).at(-1)?.[field], field)
}

function hasFields(wanted: JsonValue, found: JsonObject | undefined, name: string): string[] {
  const missing = (wanted as readonly string[]).filter((field) => found?.[field] === undefined)
  return missing.map((field) => difference(name, field, found))
}

function isResult({ type }: Envelope): boolean {
  return type === 'tool_result'
}

/** Returns the view of each agent, the root first. */
function viewsOf({ shown: { agents } }: FlowFound): readonly JsonObject[] {
  return isJsonObject(agents) ? objectsOf(Object.values(agents)) : []
}

function blocksOf(output: FlowFound): JsonValue {
  return viewsOf(output)[0]?.['blocks'] ?? []
}

/**
 * Compares the types of envelopes with those of a case. `text+` is one or more `text` up to a final one, as for every
 * type; extensions only count if the case names them.
 */
function matchTypes(wanted: readonly string[], streams: readonly FoundStream[]): string[] {
  const named = new Set(wanted.map((type) => type.replace(/\+$/, '')))
  const counts = ({ type }: Envelope) => traitsOf(type)?.origin === 'seed' || named.has(type)
  const found = streams.flatMap(({ messages, done }) => [
    ...messages.filter(counts).map(({ type, final }) => ({ type, final })),
    ...(done ? [{ type: DONE, final: true }] : []),
  ])
  const types = fold(found, new Set(wanted))
  const isSame = types.length === wanted.length && types.every((type, at) => type === wanted[at])
  return isSame ? [] : [difference('types', wanted, types)]
}

/** Joins envelopes of a type that the case names with `+`, up to the final one. */
function fold(
  messages: readonly { readonly type: string; readonly final: boolean }[],
  wanted: ReadonlySet<string>,
): string[] {
  const types: string[] = []
  let open: string | undefined
  for (const { type, final } of messages) {
    const isMany = wanted.has(`${type}+`)
    if (!isMany || open !== type) types.push(isMany ? `${type}+` : type)
    open = isMany && !final ? type : undefined
  }
  // An unfinished block does not match.
  return open === undefined ? types : [...types, `${open} without its final message`]
}
