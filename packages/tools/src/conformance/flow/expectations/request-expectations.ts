import { toFinalAnswer } from 'millrace/agent'
import type { JsonValue } from 'millrace'
import { difference, differences } from '../../differences.ts'
import { objectsOf, type SentMessage, toMessages, type FlowOutput } from '../flow-output.ts'
import type { FlowExpectation } from '../flow-found.ts'
import { firstPrompt } from '../mill/flow-plan.ts'

type ModelRequest = FlowOutput['requests'][number]

/** Expectations of the requests to models, and of the stored conversation. */
export const requestExpectations: Readonly<Record<string, FlowExpectation>> = {
  api_calls: (wanted, { requests }) => differences(wanted, requests.length, 'api_calls'),
  /** Subsets of the bodies of all requests; `null` matches any. */
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
    differences(wanted, toFinalAnswer(toMessages(conversation)), 'final_answer'),
  api_request_keeps_data: (wanted, { requests }, input) => {
    const sent = requests.slice(0, 1).flatMap(({ body }) => toMessages(body['messages']))
    const blocks = sent.flatMap(({ content }) => content)
    const prompt = firstPrompt(input) ?? []
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
  stored_state_untouched: (wanted, { stored_untouched: isUntouched }) =>
    differences(wanted, isUntouched === true, 'stored_state_untouched'),
}
function compareValid(
  wanted: JsonValue,
  request: ModelRequest | null | undefined,
  name: string,
): string[] {
  if (!request) return [difference(name, 'a request', undefined)]
  const { refused } = request
  return (refused === undefined) === wanted ? [] : [difference(name, wanted, refused)]
}

function rootRequests(requests: readonly ModelRequest[]): readonly ModelRequest[] {
  return requests.filter(({ path }) => path.length === 0)
}

function alternates(messages: readonly SentMessage[]): boolean {
  return messages.every(({ role }, at) => role === (at % 2 === 0 ? 'user' : 'assistant'))
}
