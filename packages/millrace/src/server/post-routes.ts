import type { ApprovalDecision, FrontendResult } from '../agent/index.ts'
import { MillraceError } from '../errors/index.ts'
import type { Question } from './asked-session.ts'
import { checkAccess, checkExtensions, checkFormat, type House } from './house.ts'
import { readJson } from './read-json.ts'
import {
  type ApprovalsBody,
  approvalsBody,
  decodeBody,
  decodeSessionId,
  type ResultsBody,
  resultsBody,
  type RunBody,
  runBody,
  steerBody,
  stopBody,
} from './request-bodies.ts'

/** `POST /agent/run`: asks an agent, in a new session or one that goes on; the stream is that run. */
export async function postRun(house: House, request: Request): Promise<Response> {
  checkExtensions(request)
  const body = decodeBody(runBody, await readBody(house, request))
  checkFormat(body.format)
  await checkAccess(house, request, 'run', body.agent_uuid)
  const question = toQuestion(body, body.agent_uuid ?? house.createId())
  return house.readers.respond(request, () => house.runs.ask(question))
}

/**
 * `POST /agent/tool_results`: answers calls that wait for the browser. The stream is the run that goes on; it
 * ends at once while other calls still wait; the same results again get the same stream again.
 */
export async function postResults(house: House, request: Request): Promise<Response> {
  checkExtensions(request)
  const body = decodeBody(resultsBody, await readBody(house, request))
  checkCount(body.tool_results.length, house.limits.maxResults)
  await checkAccess(house, request, 'answer', body.agent_uuid)
  const results = body.tool_results.map(toFrontendResult)
  return house.readers.respond(request, () => house.runs.answer(body.agent_uuid, { results }))
}

/** `POST /agent/tool_approvals`: decides on calls that wait for a person's word; the stream is as for results. */
export async function postApprovals(house: House, request: Request): Promise<Response> {
  checkExtensions(request)
  const body = decodeBody(approvalsBody, await readBody(house, request))
  checkCount(body.approvals.length, house.limits.maxResults)
  await checkAccess(house, request, 'answer', body.agent_uuid)
  const decisions = body.approvals.map(toDecision)
  return house.readers.respond(request, () => house.runs.answer(body.agent_uuid, { decisions }))
}

/** `POST /agent/{uuid}/stop`: ends the run, or one agent of it; what it has finished stays. */
export async function postStop(house: House, request: Request, id: string): Promise<Response> {
  const session = decodeSessionId(id)
  const { agent } = decodeBody(stopBody, await readBody(house, request))
  await checkAccess(house, request, 'stop', session)
  return Response.json({ stopped: await house.runs.stop(session, agent) })
}

/** `POST /agent/{uuid}/steer`: tells the run under way, or one agent of it, something new. */
export async function postSteer(house: House, request: Request, id: string): Promise<Response> {
  const session = decodeSessionId(id)
  const { user_prompt: prompt, agent } = decodeBody(steerBody, await readBody(house, request))
  await checkAccess(house, request, 'steer', session)
  if (await house.runs.steer(session, prompt, agent)) return Response.json({ steered: true })
  throw new MillraceError(
    'conflict',
    'Nothing is running there that could be told; send this as a new prompt with POST /agent/run.',
  )
}

function readBody({ limits }: House, request: Request): Promise<unknown> {
  return readJson(request, { maxBytes: limits.maxBodyBytes, maxDepth: limits.maxJsonDepth })
}

function checkCount(count: number, maxResults: number): void {
  if (count <= maxResults) return
  throw new MillraceError(
    'bad_request',
    `${count} results are more than the ${maxResults} that one request may hold; send them in parts.`,
  )
}

function toQuestion(body: RunBody, session: string): Question {
  return {
    session,
    prompt: body.user_prompt,
    history: body.stream_meta_history_and_tool_results,
    toolInput: body.tool_input,
    ...(body.agent_type === undefined ? {} : { agentType: body.agent_type }),
  }
}

function toFrontendResult(sent: ResultsBody['tool_results'][number]): FrontendResult {
  const { tool_use_id: toolUseId, content, is_error: isError = false } = sent
  return { toolUseId, content, isError }
}

function toDecision(sent: ApprovalsBody['approvals'][number]): ApprovalDecision {
  const { tool_use_id: toolUseId, decision, input, reason } = sent
  return {
    toolUseId,
    outcome: decision === 'approve' ? 'approved' : 'refused',
    ...(input !== undefined && { input }),
    ...(reason !== undefined && { reason }),
  }
}
