import { isJsonObject, type JsonObject, type JsonValue } from '../../../json/index.ts'
import { difference, differences } from '../differences.ts'
import { isSameJson } from '../same-json.ts'
import { objectsOf, resultText, sentResults, type SentMessage, toMessages } from './flow-blocks.ts'
import type { FlowExpectation } from './flow-expectation.ts'
import { stepsOf } from './flow-input.ts'
import type { FlowOutput } from './flow-output.ts'

type FlowRequest = FlowOutput['requests'][number]

/** What a case may expect of what models are asked, tools do and the store keeps. */
export const requestExpectations: Readonly<Record<string, FlowExpectation>> = {
  api_calls: (wanted, { requests }) => differences(wanted, requests.length, 'api_calls'),
  /** Subsets of the bodies of all requests; `null` for one that may be anything. */
  requests: (wanted, { requests }) => {
    const bodies = requests.map(({ body }) => body)
    const all = wanted as readonly JsonValue[]
    if (all.length !== bodies.length) return [difference('requests', wanted, bodies)]
    return all.flatMap((body, at) =>
      body === null ? [] : differences(body, bodies[at], `requests[${at}]`),
    )
  },
  second_api_request_valid: (wanted, { requests }) =>
    compareValid(wanted, requests[1], 'second_api_request_valid'),
  next_request_valid: (wanted, { requests }) =>
    compareValid(wanted, requests.slice(1).at(-1), 'next_request_valid'),
  history_valid: (wanted, { next }) => compareValid(wanted, next, 'history_valid'),
  history_roles_alternate: (wanted, { requests, conversation }) => {
    const sent = requests.map(({ body }) => toMessages(body['messages']))
    const isRight = [...sent, toMessages(conversation)].every(alternates)
    return differences(wanted, isRight, 'history_roles_alternate')
  },
  last_user_text: (wanted, { requests }) => {
    const sent = toMessages(rootRequests(requests).at(-1)?.body['messages'])
    const last = sent.findLast(({ role }) => role === 'user')?.content
    const text = last?.findLast(({ type }) => type === 'text')?.['text']
    return differences(wanted, text, 'last_user_text')
  },
  final_answer: (wanted, { conversation }) =>
    differences(wanted, answerOf(conversation), 'final_answer'),
  api_tool_result: (wanted, output) => (isJsonObject(wanted) ? compareResult(wanted, output) : []),
  api_tool_results: (wanted, output) =>
    objectsOf(wanted).flatMap((one) => compareResult(one, output)),
  tool_result_text_json: (wanted, output) => {
    const texts = [
      ...output.streams.flatMap(({ messages }) =>
        messages.filter(({ type }) => type === 'tool_result').map(({ delta }) => delta),
      ),
      ...[...sentResults(output.requests).values()].map(resultText),
    ]
    const isRight = texts.length > 0 && texts.every((text) => isSameJson(wanted, parse(text)))
    return isRight ? [] : [difference('tool_result_text_json', wanted, texts)]
  },
  /** Results that nobody gave. */
  synthetic_result_for: (wanted, { requests, tool_runs: runs }, input) => {
    const results = sentResults(requests)
    const given = new Set([
      ...runs.map(({ id }) => id),
      ...stepsOf(input).flatMap(({ tool_results: sent = [] }) =>
        sent.map(({ tool_use_id: id }) => String(id)),
      ),
    ])
    const isMade = (id: string) => results.has(id) && !given.has(id)
    const missing = (wanted as readonly string[]).filter((id) => !isMade(id))
    return missing.map((id) => difference('synthetic_result_for', id, [...results.keys()]))
  },
  api_request_keeps_data: (wanted, { requests }, { prompt }) => {
    const sent = requests.slice(0, 1).flatMap(({ body }) => toMessages(body['messages']))
    const blocks = sent.flatMap(({ content }) => content)
    const asked = typeof prompt === 'string' ? [{ type: 'text', text: prompt }] : prompt
    const keeps = asked.every((block) =>
      blocks.some((found) => differences(block, found).length === 0),
    )
    return differences(wanted, keeps, 'api_request_keeps_data')
  },
  child_request_tools_contains: (wanted, { requests }) => {
    const children = requests.filter(({ path }) => path.length > 0)
    const names = children.map(({ body }) => objectsOf(body['tools']).map(({ name }) => name))
    const all = [wanted].flat()
    const isRight =
      names.length > 0 && names.every((one) => all.every((name) => one.includes(name)))
    return isRight ? [] : [difference('child_request_tools_contains', wanted, names)]
  },
  tool_executed: (wanted, { tool_runs: runs }) =>
    differences(wanted, runs.length > 0, 'tool_executed'),
  /** How often each tool was run. */
  tool_runs: (wanted, { tool_runs: runs }) => {
    const counts: Record<string, number> = {}
    for (const { name } of runs) counts[name] = (counts[name] ?? 0) + 1
    return isSameJson(wanted, counts) ? [] : [difference('tool_runs', wanted, counts)]
  },
  max_concurrent: (wanted, { max_concurrent: most }) => differences(wanted, most, 'max_concurrent'),
  still_pending: (wanted, { pending }) => comparePending(wanted, pending, 'pending'),
  pending_approvals: (wanted, { pending_approvals: pending }) =>
    comparePending(wanted, pending, 'pending_approvals'),
  stored_state_untouched: (wanted, { stored_untouched: isUntouched }) =>
    differences(wanted, isUntouched === true, 'stored_state_untouched'),
}

function compareValid(
  wanted: JsonValue,
  request: FlowRequest | null | undefined,
  name: string,
): string[] {
  if (!request) return [difference(name, 'a request', undefined)]
  const { refused } = request
  return (refused === undefined) === wanted ? [] : [difference(name, wanted, refused)]
}

function rootRequests(requests: readonly FlowRequest[]): readonly FlowRequest[] {
  return requests.filter(({ path }) => path.length === 0)
}

function alternates(messages: readonly SentMessage[]): boolean {
  return messages.every(({ role }, at) => role === (at % 2 === 0 ? 'user' : 'assistant'))
}

/** The text of the last answer, after the last tool that it used. */
function answerOf(messages: readonly JsonObject[]): string {
  const last = toMessages(messages).findLast(({ role }) => role === 'assistant')?.content ?? []
  const from = last.findLastIndex(({ type }) => /tool_(?:use|result)$/.test(String(type))) + 1
  return last
    .slice(from)
    .map(({ type, text }) => (type === 'text' ? String(text) : ''))
    .join('')
}

/** What a case may say of a result that a model is sent. */
function compareResult(wanted: JsonObject, { requests }: FlowOutput): string[] {
  const results = sentResults(requests)
  const { tool_use_id: id, is_error: isError, content_contains: part, ...rest } = wanted
  const { content_is: form, content_text: text, ...unknown } = rest
  const result = id === undefined ? [...results.values()][0] : results.get(String(id))
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

/** The forms that a case may ask for. */
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

function comparePending(wanted: JsonValue, ids: readonly string[], name: string): string[] {
  return isSameJson(wanted, ids) ? [] : [difference(name, wanted, ids)]
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
