import type { FrontendResult } from '../agent/index.ts'
import { MillraceError } from '../errors/index.ts'
import type { Question } from './asked-session.ts'
import { checkAccess, checkExtensions, checkFormat, type House } from './house.ts'
import { readJson } from './read-json.ts'
import {
  decodeBody,
  type ResultsBody,
  resultsBody,
  type RunBody,
  runBody,
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
  return house.readers.respond(request, () => house.runs.answer(body.agent_uuid, results))
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
