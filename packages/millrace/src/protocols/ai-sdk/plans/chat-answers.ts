import { isJsonObject, type JsonObject } from '../../../json/index.ts'
import type { CallAnswer, PlannedDecision, CallResult } from '../../port/index.ts'
import type { SentMessage } from './chat-plans.ts'
import { ANSWERED_OUTPUT } from '../index.ts'

const MAX_REASON_CHARS = 4096

/** Output of a call that another page has answered, in a page that was loaded afterwards. */
const answeredOutput = JSON.stringify(ANSWERED_OUTPUT)

/**
 * Reads the answers in an assistant message. Only its last step can repeat accepted answers; parts of earlier steps are the page's copy of
 * the conversation.
 */
export function toCallAnswers({ parts }: SentMessage): readonly CallAnswer[] {
  const lastStep = parts.findLastIndex(({ type }) => type === 'step-start') + 1
  const answers = new Map<string, CallAnswer>()
  for (const [index, part] of parts.entries()) {
    if (!isTool(part)) continue
    const callId = String(part['toolCallId'])
    const result = toResult(part)
    const decision = toDecision(part)
    answers.set(callId, {
      callId,
      ...(index < lastStep && { isCopy: true }),
      ...(result !== undefined && { result: () => result }),
      ...(decision !== undefined && { decision: () => decision }),
    })
  }
  return [...answers.values()]
}

function isTool({ type, toolCallId }: JsonObject): boolean {
  const isPart = type === 'dynamic-tool' || (typeof type === 'string' && type.startsWith('tool-'))
  return isPart && typeof toolCallId === 'string'
}

function toResult({ state, output, errorText }: JsonObject): CallResult | undefined {
  if (state === 'output-error') return { content: String(errorText ?? 'It failed.'), isError: true }
  if (state !== 'output-available') return undefined
  const content = typeof output === 'string' ? output : JSON.stringify(output ?? null)
  return content === answeredOutput ? undefined : { content, isError: false }
}

function toDecision({ state, approval, input }: JsonObject): PlannedDecision | undefined {
  if (state !== 'approval-responded' || !isJsonObject(approval)) return undefined
  const { approved, reason } = approval
  if (typeof approved !== 'boolean') return undefined
  return {
    isApproved: approved,
    ...(typeof reason === 'string' &&
      reason !== '' && { reason: reason.slice(0, MAX_REASON_CHARS) }),
    ...(input !== undefined && { shownInput: input }),
  }
}
