import {
  type ApprovalDecision,
  type FrontendResult,
  notOfAgent,
  type PauseAnswers,
} from '../../agent/port/index.ts'
import { badRequest, MillraceError } from '../../errors/index.ts'
import type { MessageKey } from '../commands/receipts.ts'
import { findSession } from '../sessions/find-session.ts'
import { checkAccess } from '../access/check-access.ts'
import type { ServerContext } from '../server-context.ts'
import { keyHeader, readMessageKey } from '../requests/message-key.ts'
import {
  type ApprovalsBody,
  approvalsBody,
  claimBody,
  type ResultsBody,
  resultsBody,
} from '../requests/request-bodies.ts'
import { maskCalls } from '../views/hidden-calls.ts'
import { checkAnswerCount } from '../requests/check-answer-count.ts'
import { claimCall } from '../sessions/claims.ts'
import { loadPending } from '../sessions/load-session.ts'
import { claimAnswer } from './answers.ts'
import { defineRoute } from './route.ts'
import { streamAnswer, streamErrors, streamRun } from './stream-run.ts'

/**
 * Answers pending calls of frontend tools. The stream is the resumed run; it ends at once while other calls are
 * pending; the same results again yield the same stream.
 */
export const resultsRoute = defineRoute({
  method: 'POST',
  path: '/agent/tool_results',
  summary: 'Answers calls of frontend tools; the stream is the resumed run.',
  body: { type: 'application/json', schema: resultsBody },
  headers: keyHeader,
  answer: streamAnswer,
  errors: [...streamErrors, 'conflict', 'not_found'],
  handle: async (context, { request, body }) => {
    const { session } = body.agent_uuid
    const results = body.tool_results.map((sent) => toFrontendResult(ofAgent(body, sent)))
    const key = await readMessageKey(request, { ...body, type: 'results' })
    return answer(context, request, { session, key }, { results })
  },
})

/** Decides on calls that wait for approval; the stream is as for results. */
export const approvalsRoute = defineRoute({
  method: 'POST',
  path: '/agent/tool_approvals',
  summary: 'Approves, edits or denies calls that wait for approval; the stream is as for results.',
  body: { type: 'application/json', schema: approvalsBody },
  headers: keyHeader,
  answer: streamAnswer,
  errors: [...streamErrors, 'conflict', 'not_found'],
  handle: async (context, { request, body }) => {
    const { session } = body.agent_uuid
    const by = (await context.identify(request)).user
    const decisions = body.approvals.map((sent) => ({ ...toDecision(ofAgent(body, sent)), by }))
    const key = await readMessageKey(request, { ...body, type: 'decisions' })
    return answer(context, request, { session, key }, { decisions })
  },
})

/** Claims a call of a frontend tool, so that only one of several tabs runs it. */
export const claimsRoute = defineRoute({
  method: 'POST',
  path: '/agent/tool_claims',
  summary: 'Claims a call of a frontend tool before running it, or renews the claim.',
  body: { type: 'application/json', schema: claimBody },
  answer: { description: 'The claim and its expiry time.', content: claimAnswer },
  errors: [
    ...(['bad_request', 'not_found', 'conflict'] as const),
    ...(['log_replaced', 'overloaded', 'store_unavailable'] as const),
  ],
  handle: async (context, { request, body }) => {
    const { tool_use_id: callId, client_id: clientId } = body
    const { session } = body.agent_uuid
    const { agent } = ofAgent(body, body)
    await checkAccess(context, request, 'answer', session)
    await context.runs.recoverIfLapsed(session)
    const { info, head } = await findSession(context.store, session)
    const { idOf } = await maskCalls(context, request, session, [callId])
    const { calls } = await loadPending(context.store, info, head)
    const call = calls.find(({ id }) => id === idOf(callId))
    if (call === undefined) throw notWaiting(callId)
    if (agent !== undefined && call.agent !== agent) throw notOfAgent(call, agent)
    const expiresAt = await claimCall(context, { session, toolUseId: callId, clientId })
    return Response.json({ claimed: true, expires_at: expiresAt })
  },
})

async function answer(
  context: ServerContext,
  request: Request,
  { session, key }: { readonly session: string; readonly key: MessageKey | undefined },
  answers: PauseAnswers,
): Promise<Response> {
  const { results = [], decisions = [] } = answers
  checkAnswerCount(results.length + decisions.length, context.limits.maxResults)
  await checkAccess(context, request, 'answer', session)
  const format = await context.protocols.chooseFormat(request)
  const { hides } = await maskCalls(context, request, session, [])
  const start = () => context.runs.answer(session, answers, { key, hides })
  return streamRun(context, request, session, start, format)
}

function notWaiting(callId: string): MillraceError {
  return new MillraceError(
    'not_found',
    `No frontend call ${callId} is pending; it may have been answered. GET /agent/{uuid} lists the pending calls.`,
  )
}

/** Adds the agent of a call, from `agent` or from an `agent_uuid` of a sub-agent; throws if they differ. */
function ofAgent<Sent extends { readonly agent?: string | undefined }>(
  { agent_uuid: owner }: { readonly agent_uuid: { readonly agent?: string } },
  sent: Sent,
): Sent {
  const { agent = owner.agent } = sent
  if (owner.agent === undefined || owner.agent === agent) return { ...sent, agent }
  throw badRequest(
    `\`agent_uuid\` names the agent ${owner.agent} and \`agent\` names ${agent}; name the agent of the call in one of them.`,
  )
}

function toFrontendResult(sent: ResultsBody['tool_results'][number]): FrontendResult {
  const { tool_use_id: callId, agent, content, is_error: isError = false } = sent
  return { toolUseId: callId, content, isError, ...(agent !== undefined && { agent }) }
}

function toDecision(sent: ApprovalsBody['approvals'][number]): ApprovalDecision {
  const { tool_use_id: callId, agent, decision, input, reason, input_hash: inputHash } = sent
  return {
    toolUseId: callId,
    ...(agent !== undefined && { agent }),
    outcome: decision === 'approve' ? 'approved' : 'refused',
    ...(input !== undefined && { input }),
    ...(reason !== undefined && { reason }),
    ...(inputHash !== undefined && { inputHash }),
  }
}
