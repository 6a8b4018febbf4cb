import type { ApprovalDecision, FrontendResult, PauseAnswers } from '../../agent/port/index.ts'
import { badRequest } from '../../errors/index.ts'
import type { Caller } from '../access/caller.ts'
import type { MessageKey } from '../commands/receipts.ts'
import { checkAnswerCount } from '../requests/decode-body.ts'
import { readMessageKey } from '../requests/message-key.ts'
import type { ApprovalsBody, ResultsBody } from '../requests/request-bodies.ts'
import type { ServerContext } from '../server-context.ts'
import { maskCalls } from '../views/viewed-answers.ts'
import type { PreparedRun } from './run-agent.ts'

/** Prepares answers to calls of frontend tools. The range is the resumed run, or only the answers while other calls are pending. */
export async function prepareResults(
  context: ServerContext,
  caller: Caller,
  body: ResultsBody,
): Promise<PreparedRun> {
  const { session } = body.agent_uuid
  const results = body.tool_results.map((sent) => toFrontendResult(ofAgent(body, sent)))
  const key = await readMessageKey(caller, { ...body, type: 'results' })
  return prepareAnswers(context, caller, { session, key }, { results })
}

/** Prepares decisions on calls that wait for approval; the range is as for results. */
export async function prepareDecisions(
  context: ServerContext,
  caller: Caller,
  body: ApprovalsBody,
): Promise<PreparedRun> {
  const { session } = body.agent_uuid
  const by = (await caller.identify()).user
  const decisions = body.approvals.map((sent) => ({ ...toDecision(ofAgent(body, sent)), by }))
  const key = await readMessageKey(caller, { ...body, type: 'decisions' })
  return prepareAnswers(context, caller, { session, key }, { decisions })
}

async function prepareAnswers(
  context: ServerContext,
  caller: Caller,
  { session, key }: { readonly session: string; readonly key: MessageKey | undefined },
  answers: PauseAnswers,
): Promise<PreparedRun> {
  const { results = [], decisions = [] } = answers
  checkAnswerCount(results.length + decisions.length, context.limits.maxResults)
  await caller.check('answer', session)
  const { hides } = await maskCalls(context, caller, session, [])
  return { session, key, start: () => context.runs.answer(session, answers, { key, hides }) }
}

/** Adds the agent of a call, from `agent` or from an `agent_uuid` of a sub-agent; throws if they differ. */
export function ofAgent<Sent extends { readonly agent?: string | undefined }>(
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
