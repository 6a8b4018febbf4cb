import type { JsonObject } from 'millrace'
import { isSteeredInText } from './flow-agents.ts'
import type { FlowInput, FlowPrompt, FlowRequest, FlowStep } from '../flow-input.ts'
import { textOf } from './script-reply.ts'

/** One step of a case: requests that are sent together. */
export interface PlannedStep {
  /** Includes every copy. */
  readonly requests: readonly FlowRequest[]
  /** The envelope at which it is sent; if absent, it is sent after the end of all earlier streams. */
  readonly when?: JsonObject
  /** Whether the store fails to load sessions meanwhile. */
  readonly breaksStore?: boolean
}

/** The first prompt of a case whose store fails, so that the session has data to lose. */
const REMEMBERED = 'Remember this.'

/** Returns the requests of a case in order, from any fields of the input. */
export function planOf(input: FlowInput): readonly PlannedStep[] {
  if (input.client !== undefined) return input.client.flatMap(toSteps)
  const { prompt = 'go', resume = [], then_prompt: last, storage_load: fails } = input
  const first = { requests: [toRequest({ prompt })] }
  const remember = { requests: [toRequest({ prompt: REMEMBERED })] }
  return [
    ...(fails === undefined ? [first] : [remember, { ...first, breaksStore: true }]),
    ...commandsOf(input),
    ...[resume].flat().flatMap(toSteps),
    ...(last === undefined ? [] : [{ requests: [toRequest({ prompt: last })] }]),
  ]
}

/** Returns all requests of a case in order, with all copies. */
export function requestsOf(input: FlowInput): readonly FlowRequest[] {
  return planOf(input).flatMap(({ requests }) => requests)
}

/** Whether a request gets a response: the end of a server or of the session gets none. */
export function isAnswered({ close, kill, remove }: FlowRequest): boolean {
  return close === undefined && kill === undefined && remove === undefined
}

/** Returns the number of servers that a plan needs. */
export function serverCount(plan: readonly PlannedStep[]): number {
  return Math.max(1, ...plan.flatMap(({ requests }) => requests.map(({ server }) => server)))
}

/** Returns the first prompt of a flow. */
export function firstPrompt(input: FlowInput): FlowPrompt | undefined {
  return requestsOf(input).find(({ prompt }) => prompt !== undefined && prompt !== REMEMBERED)
    ?.prompt
}

function toSteps(step: FlowStep): PlannedStep[] {
  const { at_once: group, when, ...one } = step
  const requests = (group ?? [one]).flatMap(repeat)
  const planned = { requests, ...(when !== undefined && { when }) }
  const stop = requests.find((request) => request.stop === true)
  // A run that is stopped while paused ends in a stream that no client reads yet.
  if (stop === undefined || when !== undefined) return [planned]
  return [planned, { requests: [toRequest({ read: 'rest', server: stop.server })] }]
}

function repeat(request: FlowRequest): FlowRequest[] {
  return Array.from({ length: request.times }, () => ({ ...request, times: 1 }))
}

function toRequest(fields: Partial<FlowRequest>): FlowRequest {
  return { server: 1, times: 1, log_in: 'header', ...fields }
}

/** Returns the stop or the message that the input sends to the active run. */
function commandsOf(input: FlowInput): PlannedStep[] {
  const { abort_after_text: text, abort_when: abortWhen, steer, steer_when: steerWhen } = input
  const stopWhen = text === undefined ? abortWhen : { text_so_far: text }
  if (stopWhen !== undefined) {
    const stop = toRequest({ stop: true, agent: input.abort_agent })
    return [{ requests: [stop], when: stopWhen }]
  }
  if (steer === undefined) return []
  const request = toRequest({ steer, agent: input.steer_agent })
  return [{ requests: [request], when: steerWhen ?? defaultSteerMoment(input) }]
}

function defaultSteerMoment(input: FlowInput): JsonObject {
  if (!isSteeredInText(input)) return { type: 'tool_call' }
  return { text_so_far: input.model?.[0] === undefined ? '' : textOf(input.model[0]) }
}
