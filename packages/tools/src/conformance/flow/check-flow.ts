import { createVerifier, type JsonObject, DONE_DATA } from 'millrace'
import { decodeOutput, difference, isSameJson } from '../differences.ts'
import type { KindCheck } from '../kinds/kind-check.ts'
import { callExpectations } from './expectations/call-expectations.ts'
import { objectsOf, toMessages, type FlowOutput, flowOutputSchema } from './flow-output.ts'
import { type FlowExpectation, type FlowFound, toFound } from './flow-found.ts'
import { decodeFlow, type FlowInput } from './flow-input.ts'
import { isAnswered, requestsOf } from './mill/flow-plan.ts'
import { requestExpectations } from './expectations/request-expectations.ts'
import { responseExpectations } from './expectations/response-expectations.ts'
import { streamExpectations } from './expectations/stream-expectations.ts'
import { agentNames, callsOf, ROOT } from './expectations/call-reference.ts'

/** All expectations, by name; an unknown one fails the case. */
export const flowExpectations: Readonly<Record<string, FlowExpectation>> = {
  ...streamExpectations,
  ...responseExpectations,
  ...requestExpectations,
  ...callExpectations,
  /** Sets of expectations, one of which must be met as a whole: a race may have several correct outcomes. */
  one_of: (wanted, found, input) => {
    const tried = objectsOf(wanted).map((expected) => compareAll(expected, found, input))
    if (tried.some((faults) => faults.length === 0)) return []
    return tried.flatMap((faults, at) => faults.map((fault) => `one_of[${at}]: ${fault}`))
  },
}

/** Checks the observations of clients, models, tools and the store in the scripted run of an agent. */
export const checkFlow: KindCheck = {
  tasks: (input) => [{ input }],
  createJudge: (expected, input) => {
    const flow = decodeFlow(input)
    return (output) => {
      const found = toFound(decodeOutput(flowOutputSchema, output))
      return [
        ...compareAll(expected, found, flow),
        ...(expectsResponses(expected) ? [] : refusedCommands(found, flow)),
        ...alwaysFaults(found, flow),
        ...pendingFaults(found),
        ...callIdFaults(found),
      ]
    }
  },
}

function compareAll(expected: JsonObject, found: FlowFound, flow: FlowInput): string[] {
  return Object.entries(expected).flatMap(([name, wanted]) => {
    const expectation = Object.hasOwn(flowExpectations, name) ? flowExpectations[name] : undefined
    return (
      expectation?.(wanted, found, flow) ?? [
        `${name}: an expectation that this runner does not know`,
      ]
    )
  })
}

function expectsResponses(expected: JsonObject): boolean {
  return 'responses' in expected || objectsOf(expected['one_of']).some(expectsResponses)
}

/** Returns rejected stops and messages, which fail a case without expectations of its responses. */
function refusedCommands({ responses }: FlowFound, flow: FlowInput): string[] {
  const requests = requestsOf(flow).filter(isAnswered)
  return responses.flatMap(({ body = {} }, at) => {
    const name = (['stop', 'steer'] as const).find((one) => requests[at]?.[one] !== undefined)
    if (name === undefined || Object.values(body).includes(true)) return []
    return [`${name} was refused: ${JSON.stringify(body)}`]
  })
}

/** Returns faults of any case: violations of the protocol, and requests that the API rejects. */
function alwaysFaults(output: FlowOutput, flow: FlowInput): string[] {
  const { faults, requests, next } = output
  const all = next ? [...requests, next] : requests
  const refused = all.flatMap(({ refused: problem }) => problem ?? [])
  return [
    ...brokenRules(output, flow),
    ...faults,
    ...refused.map((problem) => `the API refused a request: ${problem}`),
  ]
}

/** Compares the pending calls of the server with those of a client. [CALL-3] */
function pendingFaults({ shown, pending, pending_approvals: approvals }: FlowFound): string[] {
  const held = [...pending, ...approvals].map(keyOf)
  const seen = objectsOf(shown['pending']).map(keyOf)
  const isSame = isSameJson(held.toSorted(), seen.toSorted())
  return isSame ? [] : [difference('the calls that a client shows as pending', held, seen)]
}

function keyOf({ agent, tool_use_id: id }: JsonObject): string {
  return `${String(agent)} ${String(id)}`
}
/** Returns the violations in the whole log, as read by a client in one or two connections. */
function brokenRules({ frames }: FlowOutput, { max_line_bytes: maxBytes }: FlowInput): string[] {
  if (frames.length === 0) return []
  const verifier = createVerifier(maxBytes === undefined ? {} : { maxBytes })
  const lines = frames.filter(({ data }) => data !== DONE_DATA)
  const violations = lines.flatMap(({ data, id }) => verifier.push(data, id ?? undefined))
  const isDone = frames.at(-1)?.data === DONE_DATA
  return [...violations, ...verifier.end(isDone)].map(({ rule, message }) => `[${rule}] ${message}`)
}

/** Finds call ids that are not unique in a session, or that differ between a model and a client. [CALL-1] */
function callIdFaults(found: FlowFound): string[] {
  return [...repeatedIds(found), ...foreignCalls(found)]
}

function repeatedIds({ shown }: FlowFound): string[] {
  const ids = agentNames(shown).flatMap((name) => callsOf(shown, name).map(({ id }) => String(id)))
  const repeated = ids.filter((id, at) => ids.indexOf(id) !== at)
  return repeated.map((id) => `two calls have the id ${id}`)
}

/** Finds calls in the requests of an agent that no client has under that id. */
function foreignCalls({ shown, requests, next }: FlowFound): string[] {
  return (next ? [...requests, next] : requests).flatMap(({ path, body }) => {
    const calls = callsOf(shown, path.at(-1) ?? ROOT)
    return toMessages(body['messages'])
      .flatMap(({ content }) => content.filter(({ type }) => type === 'tool_use'))
      .filter((sent) => !calls.some((call) => isSameCall(sent, call)))
      .map(({ id, name, input }) => difference('a call in a request', { id, name, input }, calls))
  })
}

function isSameCall(sent: JsonObject, shown: JsonObject): boolean {
  return (['id', 'name', 'input'] as const).every((field) => isSameJson(sent[field], shown[field]))
}
