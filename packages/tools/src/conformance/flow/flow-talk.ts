import type { JsonObject } from 'millrace'
import { toCallReference } from './expectations/call-reference.ts'
import type { FlowPrompt, FlowRequest } from './flow-input.ts'
import type { FlowWatch } from './flow-watch.ts'

/** The logs of the session of a case, in the order in which responses name them, with their last ids. */
type FlowLogs = ReturnType<typeof createFlowLogs>

/** Creates the record of the logs that a flow has read. */
export function createFlowLogs() {
  const lastIds = new Map<string, number>()
  const id = (number: number): string | undefined => [...lastIds.keys()][number - 1]
  return {
    name: (log: string) => void lastIds.set(log, lastIds.get(log) ?? 0),
    /** Adds the id of a frame that was read from a log. */
    read: (log: string, last: number) =>
      void lastIds.set(log, Math.max(last, lastIds.get(log) ?? 0)),
    /** Returns the id of a log by its number, from 1. */
    id,
    /** Returns the id of the last frame that was read from it; 0 if none was. */
    lastId: (number: number): number => lastIds.get(id(number) ?? '') ?? 0,
  }
}

/** The session of a case, and the frames that were read of it. */
interface FlowTalkOptions {
  readonly session: string
  /** `stream_meta_history_and_tool_results` of its prompts. */
  readonly flag: boolean
  readonly watch: FlowWatch
  readonly logs: FlowLogs
  readonly signal: AbortSignal
}

/** Sends the requests of a case, in one session. */
export type FlowTalk = ReturnType<typeof createTalk>

/** The data of a request: a path below `/agent`, and a body if it is a POST. */
interface Sent {
  readonly path: string
  readonly body?: JsonObject
  readonly headers?: Readonly<Record<string, string>>
}

/** Creates the functions that send the requests of a flow. */
export function createTalk(options: FlowTalkOptions) {
  const { session, signal } = options
  const send = ({ path, body, headers = {} }: Sent, url: string): Promise<Response> =>
    fetch(`${url}/agent/${path}`, {
      signal,
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
    })
  return {
    send: (request: FlowRequest, url: string): Promise<Response> =>
      send(nameLog(withKey(toSent(request, options), request), request, options.logs), url),
    /** Requests the stored session, `GET /agent/{uuid}`. */
    look: (url: string): Promise<Response> => send({ path: session }, url),
  }
}

/** Adds the key of a request, and its effect while a run is active. */
function withKey(sent: Sent, { message_id: id, when_busy: busy }: FlowRequest): Sent {
  const added = { ...(id !== undefined && { message_id: id }), ...(busy && { when_busy: busy }) }
  return sent.body === undefined ? sent : { ...sent, body: { ...sent.body, ...added } }
}

/** Adds the log that a request names. [LOG-12] */
function nameLog(sent: Sent, { log: number, log_in: place }: FlowRequest, logs: FlowLogs): Sent {
  if (number === undefined) return sent
  const log = logs.id(number) ?? missing({ log: number })
  if (place === 'header') return { ...sent, headers: { 'millrace-log': log } }
  const mark = place === 'cursor' ? `@${log}` : `${sent.path.includes('?') ? '&' : '?'}log=${log}`
  return { ...sent, path: `${sent.path}${mark}` }
}

function toSent(request: FlowRequest, { session, flag, watch, logs }: FlowTalkOptions): Sent {
  const { prompt, tool_results: results, approvals, claim, stop, steer, read } = request
  const agent = request.agent === undefined ? undefined : agentId(watch, request.agent)
  const agent_uuid = agent ?? session
  const one = agent === undefined ? {} : { agent }
  const toItem = (item: JsonObject): JsonObject => resolveItem(item, watch)
  if (prompt !== undefined) return { path: 'run', body: toQuestion(session, prompt, flag) }
  if (results !== undefined)
    return { path: 'tool_results', body: { agent_uuid, tool_results: results.map(toItem) } }
  if (approvals !== undefined)
    return { path: 'tool_approvals', body: { agent_uuid, approvals: approvals.map(toItem) } }
  if (claim !== undefined) return { path: 'tool_claims', body: { agent_uuid, ...toItem(claim) } }
  if (stop === true) return { path: `${session}/stop`, body: one }
  if (steer !== undefined) return { path: `${session}/steer`, body: { user_prompt: steer, ...one } }
  const rest = request.log === undefined ? watch.lastId() : logs.lastId(request.log)
  const cursor = read === 'rest' ? rest : read === 'all' ? 0 : read
  return { path: `${session}/stream?cursor=${cursor}` }
}

function toQuestion(agent_uuid: string, prompt: FlowPrompt, flag: boolean): JsonObject {
  return { agent_uuid, user_prompt: prompt, stream_meta_history_and_tool_results: flag }
}

/** Replaces the references to a call and an agent in an answer by their ids. */
function resolveItem(item: JsonObject, watch: FlowWatch): JsonObject {
  const { tool_use_id: call, agent } = item
  const reference = toCallReference(call)
  return {
    ...item,
    ...(reference !== undefined && { tool_use_id: watch.call(reference) ?? missing(reference) }),
    ...(typeof agent === 'string' && { agent: agentId(watch, agent) }),
  }
}

function agentId(watch: FlowWatch, name: string): string {
  return watch.agent(name) ?? missing({ agent: name })
}

function missing(what: object): never {
  throw new Error(`the case refers to data that no stream has shown:  ${JSON.stringify(what)}`)
}
