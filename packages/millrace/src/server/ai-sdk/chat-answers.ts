import type {
  ApprovalDecision,
  FrontendResult,
  GivenAnswer,
  PauseAnswers,
  PendingCall,
  PendingCalls,
  Verdict,
} from '../../agent/port/index.ts'
import { ANSWERED_OUTPUT } from '../../protocols/index.ts'
import { hashInput, isJsonObject, type JsonObject } from '../../json/index.ts'
import type { StoredAnswer } from '../sessions/session-record.ts'
import type { SentMessage } from './chat-body.ts'

/** The sender of a message. */
export interface ChatSender {
  /** The principal of the request; null if none is known. */
  readonly by: string | null
  /** Whether its view shows the arguments of calls: then those in the message are those that were shown. */
  readonly showsInput: boolean
}

/**
 * The answers of a message to calls that wait. The server knows which do: what a page says of any other call, such as
 * results of tools that run here, is not looked at.
 */
export function toChatAnswers(
  { parts }: SentMessage,
  { calls, approvals }: PendingCalls,
  { by, showsInput }: ChatSender,
): PauseAnswers {
  const withSender = (part: JsonObject) => (decision: ApprovalDecision) => {
    const { input } = part
    const shown = showsInput && input !== undefined ? { inputHash: hashInput(input) } : {}
    return { ...decision, ...shown, by }
  }
  return {
    results: toolsOf(parts, idsOf(calls)).flatMap(toResult),
    decisions: toolsOf(parts, idsOf(approvals)).flatMap((part) =>
      toDecision(part).map(withSender(part)),
    ),
  }
}

/** The call that a message is about, though it says neither yes nor no, which is what the call waits for. */
export function findUndecided(
  message: SentMessage,
  { approvals }: PendingCalls,
): string | undefined {
  const [undecided] = toolsOf(lastStepOf(message), idsOf(approvals))
  return undecided && String(undecided['toolCallId'])
}

/** What a page that was loaded later holds of a call that another page answered. */
const answeredContent = JSON.stringify(ANSWERED_OUTPUT)

/**
 * Refuses a message that says something else of calls than what was taken for them: the first answer counts. What is
 * not remembered any more cannot be compared.
 */
export async function checkSaidBefore(
  message: SentMessage,
  given: readonly GivenAnswer[],
  judge: (answers: readonly PauseAnswers[]) => Promise<readonly Verdict[]>,
): Promise<void> {
  // One part of each call, so that what is compared is bound by what was given.
  const tools = lastStepOf(message).filter(isTool)
  const parts = [...new Map(tools.map((part) => [part['toolCallId'], part])).values()]
  const idsGiven = (wanted: GivenAnswer['kind']): ReadonlySet<string> =>
    new Set(given.filter(({ kind }) => kind === wanted).map(({ toolUseId }) => toolUseId))
  const results = toolsOf(parts, idsGiven('result'))
    .flatMap(toResult)
    .filter(({ content }) => content !== answeredContent)
  const decisions = toolsOf(parts, idsGiven('decision')).flatMap(toDecision)
  const said: readonly PauseAnswers[] = [
    ...results.map((one) => ({ results: [one] })),
    ...decisions.map((one) => ({ decisions: [one] })),
  ]
  const verdicts = said.length === 0 ? [] : await judge(said)
  const conflict = verdicts.find(({ verdict }) => verdict === 'conflict')
  if (conflict?.error !== undefined) throw conflict.error
}

/**
 * The last answer of the message that was taken before, if the page has not read what followed from it: nothing
 * of a later step stands in its copy. Such a message is one that is sent again.
 */
export function takenBefore(
  message: SentMessage,
  answers: readonly StoredAnswer[],
): StoredAnswer | undefined {
  const tools = lastStepOf(message).filter(isTool)
  const said = new Set(tools.map(({ toolCallId }) => String(toolCallId)))
  return answers.findLast(({ toolUseId }) => said.has(toolUseId))
}

function lastStepOf({ parts }: SentMessage): readonly JsonObject[] {
  return parts.slice(parts.findLastIndex(({ type }) => type === 'step-start') + 1)
}

function idsOf(calls: readonly PendingCall[]): ReadonlySet<string> {
  return new Set(calls.map(({ id }) => id))
}

function toolsOf(parts: readonly JsonObject[], ids: ReadonlySet<string>): readonly JsonObject[] {
  return parts.filter((part) => isTool(part) && ids.has(String(part['toolCallId'])))
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
