import type {
  ApprovalDecision,
  FrontendResult,
  PauseAnswers,
  PendingCalls,
} from '../../agent/index.ts'
import { MillraceError } from '../../errors/index.ts'
import { isJsonObject, type JsonObject } from '../../json/index.ts'
import type { ChatPromptOptions } from '../ai-sdk/chat-prompt.ts'
import type { StoredAnswer } from '../session-record.ts'
import {
  newestResults,
  partsOf,
  questionIn,
  type ResumeEntry,
  type RunInput,
  toolMessages,
} from './run-input.ts'
import { toThreadPrompt } from './thread-prompt.ts'

/** What a client answers to calls that wait; the server knows which do, and what is said of others is not looked at. */
export async function toThreadAnswers(
  input: RunInput,
  { calls, approvals }: PendingCalls,
  options: ChatPromptOptions,
): Promise<Required<PauseAnswers>> {
  const waiting = new Set(calls.map(({ id }) => id))
  const judged = new Set(approvals.map(({ id }) => id))
  const results = new Map<string, FrontendResult>()
  for (const message of toolMessages(input)) {
    const id = String(message['toolCallId'])
    if (waiting.has(id)) results.set(id, await toResult(id, message, options))
  }
  const entries = (input.resume ?? []).filter(({ interruptId }) => judged.has(interruptId))
  return { results: [...results.values()], decisions: entries.map(toDecision) }
}

/** Whether a client gives up what it was asked for and says something new: then what waits is left behind. */
export function givesUp(input: RunInput): boolean {
  const entries = input.resume ?? []
  const isGivenUp = entries.length > 0 && entries.every(({ status }) => status === 'cancelled')
  return isGivenUp && questionIn(input) !== undefined
}

/** The last answer of a request that was taken before. */
export function findTaken(
  input: RunInput,
  answers: readonly StoredAnswer[],
): StoredAnswer | undefined {
  const said = new Set([
    ...newestResults(input).map(({ toolCallId }) => String(toolCallId)),
    ...(input.resume ?? []).map(({ interruptId }) => interruptId),
  ])
  return answers.findLast(({ toolUseId }) => said.has(toolUseId))
}

async function toResult(
  toolUseId: string,
  { content, error }: JsonObject,
  options: ChatPromptOptions,
): Promise<FrontendResult> {
  const isError = typeof error === 'string' && error !== ''
  if (typeof content === 'string') {
    return { toolUseId, content: content === '' && isError ? error : content, isError }
  }
  const isEmpty = partsOf(content).length === 0
  const said = isEmpty ? (isError ? error : '') : await toThreadPrompt(content, options)
  return { toolUseId, content: said, isError }
}

function toDecision({ interruptId: toolUseId, status, payload }: ResumeEntry): ApprovalDecision {
  const given = isJsonObject(payload) ? payload : { approved: payload ?? null }
  const { approved, reason, editedArgs } = given
  const said = typeof reason === 'string' && reason !== '' ? { reason: reason.slice(0, 4096) } : {}
  if (status === 'cancelled') return { toolUseId, outcome: 'refused', ...said }
  if (typeof approved !== 'boolean') throw undecided(toolUseId)
  const edited = approved && isJsonObject(editedArgs) ? { input: editedArgs } : {}
  return { toolUseId, outcome: approved ? 'approved' : 'refused', ...said, ...edited }
}

function undecided(interruptId: string): MillraceError {
  return new MillraceError(
    'bad_request',
    `The answer to the interrupt ${JSON.stringify(interruptId.slice(0, 80))} does not say whether the call may run; send \`payload: {"approved": true}\` or false.`,
  )
}
