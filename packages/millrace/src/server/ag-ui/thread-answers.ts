import type { FrontendResult, PauseAnswers, PendingCalls } from '../../agent/port/index.ts'
import { MillraceError } from '../../errors/index.ts'
import { isJsonArray, isJsonObject, type JsonObject } from '../../json/index.ts'
import type { ChatPromptOptions } from '../ai-sdk/chat-prompt.ts'
import type { StoredAnswer } from '../sessions/session-record.ts'
import { newestResults, questionIn, type RunInput, toolMessages } from './run-input.ts'
import { toThreadPrompt } from './thread-prompt.ts'
import { toDecision } from './to-decision.ts'

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

/** The result that a tool message holds; what is no content must not pass for an empty one, nor a failure for a success. */
export async function toResult(
  toolUseId: string,
  { content, error }: JsonObject,
  options: ChatPromptOptions,
): Promise<FrontendResult> {
  const failure = error ?? ''
  if (typeof failure !== 'string') throw badResult(toolUseId, 'an `error` that is no text')
  const isError = failure !== ''
  if (typeof content === 'string') {
    // Some clients send an output of a tool that failed, which is none.
    const isNone = isError && (content === '' || content === 'null')
    return { toolUseId, content: isNone ? failure : content, isError }
  }
  if (!isJsonArray(content) || !content.every(isJsonObject)) {
    throw badResult(toolUseId, '`content` that is neither text nor a list of parts')
  }
  const said = content.length === 0 ? failure : await toThreadPrompt(content, options)
  return { toolUseId, content: said, isError }
}

function badResult(toolCallId: string, fault: string): MillraceError {
  const id = JSON.stringify(toolCallId.slice(0, 80))
  return new MillraceError(
    'bad_request',
    `The result of the call ${id} has ${fault}; send it as a tool message of AG-UI.`,
  )
}
