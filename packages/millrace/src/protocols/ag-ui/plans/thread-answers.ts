import { badRequest, type MillraceError } from '../../../errors/index.ts'
import { isJsonArray, isJsonObject, type JsonObject } from '../../../json/index.ts'
import type { CallAnswer, PlannedDecision, CallResult } from '../../port/index.ts'
import { newestQuestion, type ResumeEntry, type RunInput, toMessageParts } from './run-input.ts'
import { isSnapshotId } from './thread-history.ts'

const MAX_REASON_CHARS = 4096

/** Reads the results and decisions of a request; none if the client cancels all its interrupts and sends a message instead. */
export function toCallAnswers(input: RunInput): readonly CallAnswer[] {
  const { messages, resume } = input
  const entries = resume ?? []
  const hasQuestion = newestQuestion(input) !== undefined
  const isGivenUp = entries.length > 0 && entries.every(({ status }) => status === 'cancelled')
  if (isGivenUp && hasQuestion) return []
  // Results before the last answer or a new message belong to the client's copy of the conversation.
  const newest = messages.findLastIndex(({ role }) => role === 'assistant') + 1
  const results = new Map<string, CallAnswer>()
  for (const [index, message] of messages.entries()) {
    const { id, role, toolCallId } = message
    if (role !== 'tool' || typeof toolCallId !== 'string') continue
    results.set(toolCallId, {
      callId: toolCallId,
      ...((index < newest || hasQuestion) && { isCopy: true }),
      // Snapshots of the server contain labels in place of files.
      ...(!isSnapshotId(String(id)) && { result: () => toResult(toolCallId, message) }),
    })
  }
  const decisions = entries.map((entry) => ({
    callId: entry.interruptId,
    decision: () => toDecision(entry),
  }))
  return [...results.values(), ...decisions]
}

/** Reads the result of a tool message; malformed content is not an empty result, nor is a failure a success. */
function toResult(callId: string, { content, error }: JsonObject): CallResult {
  const failure = error ?? ''
  if (typeof failure !== 'string') throw badResult(callId, 'an `error` that is not text')
  const isError = failure !== ''
  if (typeof content === 'string') {
    // Some clients send an empty output for a tool that failed.
    const isNone = isError && (content === '' || content === 'null')
    return { content: isNone ? failure : content, isError }
  }
  if (!isJsonArray(content) || !content.every(isJsonObject)) {
    throw badResult(callId, '`content` that is neither text nor a list of parts')
  }
  return { content: content.length === 0 ? failure : toMessageParts(content), isError }
}

const payloadFields: ReadonlySet<string> = new Set([
  'approved',
  'reason',
  'editedArgs',
  'inputHash',
])

/** Faults of an answer with their remedies; a call never runs because of an ambiguous answer. */
const faults: readonly (readonly [(payload: JsonObject) => boolean, string])[] = [
  [
    ({ approved }) => typeof approved !== 'boolean',
    'does not state whether the call may run; send `payload: {"approved": true}` or false',
  ],
  [
    ({ editedArgs }) => editedArgs !== undefined && !isJsonObject(editedArgs),
    'has `editedArgs` that are not an object; send all arguments of the call as one object, or omit them to run it unchanged',
  ],
  [
    ({ inputHash }) => inputHash !== undefined && !/^[\da-f]{64}$/.test(String(inputHash)),
    'has an `inputHash` that is not a SHA-256 in lower-case hex; send the hash of the interrupt, or omit it',
  ],
  [
    ({ reason }) => reason !== undefined && typeof reason !== 'string',
    'has a `reason` that is not text; send text, or omit it',
  ],
  [
    (payload) => Object.keys(payload).some((name) => !payloadFields.has(name)),
    `has an unknown field; its payload may have ${[...payloadFields].join(', ')}`,
  ],
]

/** Reads the decision of an answer to an interrupt; a cancelled interrupt denies the call. */
function toDecision({ interruptId, status, payload: sent }: ResumeEntry): PlannedDecision {
  const given = isJsonObject(sent) ? sent : { approved: sent ?? null }
  const isCancelled = status === 'cancelled'
  const payload = isCancelled ? { ...given, approved: given['approved'] ?? false } : given
  const [, fault] = faults.find(([isFault]) => isFault(payload)) ?? []
  if (fault !== undefined) throw unclear(interruptId, fault)
  const { approved, reason, editedArgs, inputHash } = payload
  if (isCancelled && approved === true)
    throw unclear(interruptId, 'is cancelled but approves the call; send one or the other')
  return {
    isApproved: approved === true,
    ...(typeof reason === 'string' &&
      reason !== '' && { reason: reason.slice(0, MAX_REASON_CHARS) }),
    ...(approved === true && isJsonObject(editedArgs) && { input: editedArgs }),
    ...(typeof inputHash === 'string' && { inputHash }),
  }
}

function badResult(callId: string, fault: string): MillraceError {
  const id = JSON.stringify(callId.slice(0, 80))
  return badRequest(
    `The result of the call ${id} has ${fault}; send it as a tool message of AG-UI.`,
  )
}

function unclear(interruptId: string, fault: string): MillraceError {
  const id = JSON.stringify(interruptId.slice(0, 80))
  return badRequest(`The answer to the interrupt ${id} ${fault}.`)
}
