import type { ApprovalDecision, FrontendResult, PauseAnswers } from '../../agent/index.ts'
import { MillraceError } from '../../errors/index.ts'
import { findSession } from '../find-session.ts'
import { checkAccess, type House } from '../house.ts'
import { chooseDialect } from '../requests/choose-dialect.ts'
import {
  type ApprovalsBody,
  approvalsBody,
  claimBody,
  type ResultsBody,
  resultsBody,
} from '../requests/request-bodies.ts'
import { checkAnswerCount } from '../requests/check-answer-count.ts'
import { pendingIn } from '../session-view.ts'
import { claimAnswer } from './answers.ts'
import { defineRoute } from './route.ts'
import { streamAnswer, streamErrors, streamRun } from './stream-run.ts'

/**
 * Answers calls that wait for the browser. The stream is the run that goes on; it ends at once while other calls
 * still wait; the same results again get the same stream again.
 */
export const resultsRoute = defineRoute({
  method: 'POST',
  path: '/agent/tool_results',
  summary: 'Answers calls that wait for the browser; the stream is the run that goes on.',
  body: { type: 'application/json', schema: resultsBody },
  answer: streamAnswer,
  errors: [...streamErrors, 'conflict', 'not_found'],
  handle: (house, { request, body }) => {
    const results = body.tool_results.map(toFrontendResult)
    return answer(house, request, body.agent_uuid, { results })
  },
})

/** Decides on calls that wait for a person's word; the stream is as for results. */
export const approvalsRoute = defineRoute({
  method: 'POST',
  path: '/agent/tool_approvals',
  summary: 'Approves, edits or refuses calls that wait for a person; the stream is as for results.',
  body: { type: 'application/json', schema: approvalsBody },
  answer: streamAnswer,
  errors: [...streamErrors, 'conflict', 'not_found'],
  handle: (house, { request, body }) => {
    const decisions = body.approvals.map(toDecision)
    return answer(house, request, body.agent_uuid, { decisions })
  },
})

/** Claims a call that waits for the browser, so that of several tabs one runs it. */
export const claimsRoute = defineRoute({
  method: 'POST',
  path: '/agent/tool_claims',
  summary: 'Claims a call that waits for the browser before running it, or renews the claim.',
  body: { type: 'application/json', schema: claimBody },
  answer: { description: 'The claim, and until when it holds.', content: claimAnswer },
  errors: ['bad_request', 'not_found', 'conflict', 'overloaded', 'store_unavailable'],
  handle: async (house, { request, body }) => {
    const { agent_uuid: session, tool_use_id: toolUseId, client_id: clientId } = body
    await checkAccess(house, request, 'answer', session)
    await house.runs.revive(session)
    const { stored } = await findSession(house.store, session)
    const waiting = pendingIn(stored).calls.map(({ id }) => id)
    if (!waiting.includes(toolUseId)) throw notWaiting(toolUseId, waiting)
    const { expiresAt } = house.claims.take(session, toolUseId, clientId)
    return Response.json({ claimed: true, expires_at: new Date(expiresAt).toISOString() })
  },
})

async function answer(
  house: House,
  request: Request,
  session: string,
  answers: PauseAnswers,
): Promise<Response> {
  const { results = [], decisions = [] } = answers
  checkAnswerCount(results.length + decisions.length, house.limits.maxResults)
  await checkAccess(house, request, 'answer', session)
  const dialect = chooseDialect(request)
  return streamRun(house, request, session, () => house.runs.answer(session, answers), dialect)
}

function notWaiting(toolUseId: string, waiting: readonly string[]): MillraceError {
  return new MillraceError(
    'not_found',
    `No call ${toolUseId} waits for the browser; it may have been answered. Waiting: ${waiting.join(', ') || 'none'}.`,
  )
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
