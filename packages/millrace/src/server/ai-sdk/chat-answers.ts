import type {
  ApprovalDecision,
  FrontendResult,
  PauseAnswers,
  PendingCalls,
} from '../../agent/index.ts'
import { isJsonObject, type JsonObject } from '../../json/index.ts'
import type { StoredAnswer } from '../session-record.ts'
import type { SentMessage } from './chat-body.ts'

/**
 * What a message answers to calls that wait. The server knows which do: what a page says of any other call, such as
 * results of tools that run here, is not looked at.
 */
export function toChatAnswers(
  { parts }: SentMessage,
  { calls, approvals }: PendingCalls,
): PauseAnswers {
  const waiting = new Set(calls.map(({ id }) => id))
  const judged = new Set(approvals.map(({ id }) => id))
  const tools = parts.filter(isTool)
  return {
    results: tools.filter(({ toolCallId }) => waiting.has(String(toolCallId))).flatMap(toResult),
    decisions: tools.filter(({ toolCallId }) => judged.has(String(toolCallId))).flatMap(toDecision),
  }
}

/**
 * The last answer of the message that was taken before, if the page has not read what followed from it: nothing
 * of a later step stands in its copy. Such a message is one that is sent again.
 */
export function takenBefore(
  { parts }: SentMessage,
  answers: readonly StoredAnswer[],
): StoredAnswer | undefined {
  const lastStep = parts.slice(parts.findLastIndex(({ type }) => type === 'step-start') + 1)
  const said = new Set(lastStep.filter(isTool).map(({ toolCallId }) => String(toolCallId)))
  return answers.findLast(({ toolUseId }) => said.has(toolUseId))
}

function isTool({ type, toolCallId }: JsonObject): boolean {
  const isPart = type === 'dynamic-tool' || (typeof type === 'string' && type.startsWith('tool-'))
  return isPart && typeof toolCallId === 'string'
}

function toResult({ toolCallId, state, output, errorText }: JsonObject): FrontendResult[] {
  const toolUseId = String(toolCallId)
  if (state === 'output-error')
    return [{ toolUseId, content: String(errorText ?? 'It failed.'), isError: true }]
  if (state !== 'output-available') return []
  const content = typeof output === 'string' ? output : JSON.stringify(output ?? null)
  return [{ toolUseId, content, isError: false }]
}

function toDecision({ toolCallId, state, approval }: JsonObject): ApprovalDecision[] {
  if (state !== 'approval-responded' || !isJsonObject(approval)) return []
  const { approved, reason } = approval
  if (typeof approved !== 'boolean') return []
  const said = typeof reason === 'string' && reason !== '' ? { reason: reason.slice(0, 4096) } : {}
  return [{ toolUseId: String(toolCallId), outcome: approved ? 'approved' : 'refused', ...said }]
}
