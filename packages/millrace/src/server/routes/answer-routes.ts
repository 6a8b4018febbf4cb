import { notOfAgent } from '../../agent/port/index.ts'
import { MillraceError } from '../../errors/index.ts'
import { toCaller } from '../access/caller.ts'
import { ofAgent, prepareDecisions, prepareResults } from '../actions/answer-calls.ts'
import type { PreparedRun } from '../actions/run-agent.ts'
import { requestSchemas } from '../requests/decode-body.ts'
import { keyHeader } from '../requests/message-key.ts'
import type { ServerContext } from '../server-context.ts'
import { findSession, loadPending } from '../sessions/load-session.ts'
import { maskCalls } from '../views/viewed-answers.ts'
import { answerSchemas, commandErrors, defineRoute } from './route.ts'
import { streamAnswer, streamErrors, streamRun } from './run-routes.ts'

/**
 * Answers pending calls of frontend tools. The stream is the resumed run; it ends at once while other calls are
 * pending; the same results again yield the same stream.
 */
export const resultsRoute = defineRoute({
  method: 'POST',
  path: '/agent/tool_results',
  summary: 'Answers calls of frontend tools; the stream is the resumed run.',
  body: { type: 'application/json', schema: async () => (await requestSchemas()).resultsBody },
  headers: keyHeader,
  answer: streamAnswer,
  errors: [...streamErrors, 'conflict', 'not_found'],
  handle: async (context, { request, body }) =>
    respond(context, request, await prepareResults(context, toCaller(context, request), body)),
})

/** Decides on calls that wait for approval; the stream is as for results. */
export const approvalsRoute = defineRoute({
  method: 'POST',
  path: '/agent/tool_approvals',
  summary: 'Approves, edits or denies calls that wait for approval; the stream is as for results.',
  body: { type: 'application/json', schema: async () => (await requestSchemas()).approvalsBody },
  headers: keyHeader,
  answer: streamAnswer,
  errors: [...streamErrors, 'conflict', 'not_found'],
  handle: async (context, { request, body }) =>
    respond(context, request, await prepareDecisions(context, toCaller(context, request), body)),
})

/** Claims a call of a frontend tool, so that only one of several tabs runs it. */
export const claimsRoute = defineRoute({
  method: 'POST',
  path: '/agent/tool_claims',
  summary: 'Claims a call of a frontend tool before running it, or renews the claim.',
  body: { type: 'application/json', schema: async () => (await requestSchemas()).claimBody },
  answer: {
    description: 'The claim and its expiry time.',
    content: async () => (await answerSchemas()).claimAnswer,
  },
  errors: [...commandErrors, 'conflict'],
  handle: async (context, { request, body }) => {
    const { tool_use_id: callId, client_id: clientId } = body
    const { session } = body.agent_uuid
    const { agent } = ofAgent(body, body)
    const caller = toCaller(context, request)
    await caller.check('answer', session)
    await context.runs.recoverIfLapsed(session)
    const { info, head } = await findSession(context.store, session)
    const { idOf } = await maskCalls(context, caller, session, [callId])
    const { calls } = await loadPending(context.store, info, head)
    const call = calls.find(({ id }) => id === idOf(callId))
    if (call === undefined)
      throw new MillraceError(
        'not_found',
        `No frontend call ${callId} is pending; it may have been answered. GET /agent/{uuid} lists the pending calls.`,
      )
    if (agent !== undefined && call.agent !== agent) throw notOfAgent(call, agent)
    const expiresAt = await claimCall(context, { session, toolUseId: callId, clientId })
    return Response.json({ claimed: true, expires_at: expiresAt })
  },
})

async function respond(
  context: ServerContext,
  request: Request,
  prepared: PreparedRun,
): Promise<Response> {
  return streamRun(context, request, prepared, await context.protocols.chooseFormat(request))
}

/** The claim of a client that is about to answer a call. */
interface CallClaim {
  readonly session: string
  readonly toolUseId: string
  readonly clientId: string
}

/**
 * Claims a call for a client, or renews its claim; resolves with its expiry time. Throws `conflict` while another
 * client holds it. Results are accepted from any client: a claim only keeps pages from running a tool twice. The store
 * grants claims, so that all its servers agree.
 */
export async function claimCall(
  { store, limits: { claimMs }, now }: Pick<ServerContext, 'store' | 'limits' | 'now'>,
  { session, toolUseId: callId, clientId }: CallClaim,
): Promise<string> {
  const claim = store.claim(session, callId, clientId, claimMs)
  const { holder, remainingMs } = await claim
  const expiresAt = new Date(now() + remainingMs).toISOString()
  if (holder === clientId) return expiresAt
  throw new MillraceError(
    'conflict',
    `Call ${callId} is claimed by ${holder} until ${expiresAt}; wait for its result, or claim it after that time.`,
    { details: { client_id: holder, expires_at: expiresAt } },
  )
}
