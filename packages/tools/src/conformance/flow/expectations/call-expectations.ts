import { isJsonObject, type JsonObject, type JsonValue } from 'millrace'
import { difference, differences, isSameJson } from '../../differences.ts'
import {
  callIdOf,
  callsOf,
  nameOfAgent,
  resolveCall,
  ROOT,
  toCallReference,
} from './call-reference.ts'
import { objectsOf, resultText, sentResults, toMessages } from '../flow-output.ts'
import type { FlowExpectation, FlowFound } from '../flow-found.ts'
import { requestsOf } from '../mill/flow-plan.ts'
import { parseJsonOr } from '../../../parse-json-or.ts'

/** Expectations of executed calls, their input, and the order and receivers of their results. */
export const callExpectations: Readonly<Record<string, FlowExpectation>> = {
  /** Subsets of the calls of each agent in the view of a client, in order. */
  calls: (wanted, { shown }) =>
    Object.entries(isJsonObject(wanted) ? wanted : {}).flatMap(([agent, calls]) =>
      differences(calls, callsOf(shown, agent), `calls.${agent}`),
    ),
  /** Subsets of the executed calls, in any order. */
  ran: (wanted, { tool_runs: runs }) => {
    const left = [...runs]
    for (const one of objectsOf(wanted)) {
      const at = left.findIndex((run) => differences(one, run).length === 0)
      if (at === -1) return [difference('ran', one, left)]
      left.splice(at, 1)
    }
    return left.length === 0 ? [] : [difference('ran', wanted, runs)]
  },
  results_shown: (wanted, found) => {
    const shown = found.log.filter(({ type }) => type === 'tool_result').map(({ id }) => id)
    return compareOrder(wanted, shown, found, 'results_shown')
  },
  /** The order of all results in the latest request of the agent of the named calls. */
  results_sent: (wanted, found) => {
    const [first] = wanted as readonly JsonValue[]
    const agent = toCallReference(first)?.agent ?? ROOT
    const latest = found.requests.findLast(({ path }) => (path.at(-1) ?? ROOT) === agent)
    const sent = toMessages(latest?.body['messages'])
      .flatMap(({ content }) => content)
      .filter(({ type }) => type === 'tool_result')
      .map(({ tool_use_id: id }) => String(id))
    return compareOrder(wanted, sent, found, 'results_sent')
  },
  api_tool_result: (wanted, found) => (isJsonObject(wanted) ? compareResult(wanted, found) : []),
  api_tool_results: (wanted, found) =>
    objectsOf(wanted).flatMap((one) => compareResult(one, found)),
  tool_result_text_json: (wanted, { streams, requests }) => {
    const texts = [
      ...streams.flatMap(({ messages }) =>
        messages.filter(({ type }) => type === 'tool_result').map(({ delta }) => delta),
      ),
      ...[...sentResults(requests).values()].map(resultText),
    ]
    const isRight =
      texts.length > 0 && texts.every((text) => isSameJson(wanted, parseJsonOr(text, undefined)))
    return isRight ? [] : [difference('tool_result_text_json', wanted, texts)]
  },
  /** Results that come from neither a tool nor a client. */
  synthetic_result_for: (wanted, { requests, tool_runs: runs, shown }, input) => {
    const results = sentResults(requests)
    const answers = requestsOf(input).flatMap(({ tool_results: sent = [] }) => sent)
    const given = new Set([
      ...runs.map(({ id }) => id),
      ...answers.map(({ tool_use_id: call }) => resolveCall(shown, call)),
    ])
    const isMade = (id: string) => results.has(id) && !given.has(id)
    const missing = (wanted as readonly string[]).filter((id) => !isMade(id))
    return missing.map((id) => difference('synthetic_result_for', id, [...results.keys()]))
  },
  tool_executed: (wanted, { tool_runs: runs }) =>
    differences(wanted, runs.length > 0, 'tool_executed'),
  tool_runs: (wanted, { tool_runs: runs }) => {
    const counts: Record<string, number> = {}
    for (const { name } of runs) counts[name] = (counts[name] ?? 0) + 1
    return isSameJson(wanted, counts) ? [] : [difference('tool_runs', wanted, counts)]
  },
  max_concurrent: (wanted, { max_concurrent: most }) => differences(wanted, most, 'max_concurrent'),
  still_pending: (wanted, found) => comparePending(wanted, found, 'pending'),
  pending_approvals: (wanted, found) => comparePending(wanted, found, 'pending_approvals'),
}

function compareOrder(
  wanted: JsonValue,
  found: readonly (string | undefined)[],
  all: FlowFound,
  name: string,
): string[] {
  const ids = (wanted as readonly JsonValue[]).map((one) => resolveCall(all.shown, one))
  return isSameJson(ids, found) ? [] : [difference(name, ids, found)]
}

function compareResult(wanted: JsonObject, all: FlowFound): string[] {
  const { tool_use_id: call, is_error: isError, content_contains: part, ...rest } = wanted
  const { content_is: form, content_text: text, ...unknown } = rest
  const agent = toCallReference(call)?.agent
  const results = sentResults(
    all.requests.filter(({ path }) => agent === undefined || (path.at(-1) ?? ROOT) === agent),
  )
  const result =
    call === undefined ? [...results.values()][0] : results.get(resolveCall(all.shown, call))
  if (result === undefined) return [difference('api_tool_result', wanted, [...results.keys()])]
  const found = resultText(result)
  return [
    ...Object.keys(unknown).map((key) => `api_tool_result.${key}: not known to this runner`),
    ...(isError === undefined ? [] : differences(isError, result['is_error'] ?? false, 'is_error')),
    ...(part === undefined || found.includes(String(part))
      ? []
      : [difference('content', part, found)]),
    ...(text === undefined ? [] : differences(text, found, 'content')),
    ...(form === undefined || hasForm(String(form), result['content'])
      ? []
      : [difference('content', form, result['content'])]),
  ]
}

/** The forms that a case may require. */
const forms: Readonly<Record<string, (content: JsonValue | undefined) => boolean>> = {
  string: (content) => typeof content === 'string',
  block_list: (content) =>
    Array.isArray(content) && objectsOf(content).every(({ type }) => typeof type === 'string'),
}

function hasForm(form: string, content: JsonValue | undefined): boolean {
  return form
    .split('_or_')
    .some((one) => Object.hasOwn(forms, one) && forms[one]?.(content) === true)
}

type PendingCall = FlowFound['pending'][number]

/** Compares the pending calls; each is an id, or an object with fields of the call. */
function comparePending(
  wanted: JsonValue,
  found: FlowFound,
  list: 'pending' | 'pending_approvals',
): string[] {
  const all = wanted as readonly JsonValue[]
  const calls = found[list]
  const isSame =
    all.length === calls.length && all.every((one, at) => isCall(one, calls[at], found))
  return isSame ? [] : [difference(list, wanted, calls)]
}

function isCall(wanted: JsonValue, call: PendingCall | undefined, { shown }: FlowFound): boolean {
  if (call === undefined) return false
  if (!isJsonObject(wanted)) return call.tool_use_id === wanted
  const { agent, call: _, ...fields } = wanted
  const reference = toCallReference(wanted)
  return (
    (agent === undefined || nameOfAgent(shown, call.agent) === agent) &&
    (reference === undefined || callIdOf(shown, reference) === call.tool_use_id) &&
    differences(fields, call).length === 0
  )
}
