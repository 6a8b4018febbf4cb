import type { AnnouncedCall, ToolSchema } from '../../events/index.ts'
import { parseJsonObject } from '../../json/index.ts'
import { errorAnswer, textAnswer, type ToolAnswer } from '../../tools/index.ts'
import type { AgentState, StoredResult } from '../state/index.ts'
import { type CallUpdate, toAnswered } from './call-update.ts'
import type { Run } from '../run.ts'

/** The tool with which a model reads the rest of a result that was too long. */
export const READ_RESULT = 'read_result'

/** Characters of a long result that the model gets at a time. */
const PART = 4000

/** The tool with which a model reads the rest of a shortened result. */
export const readResultSchema: ToolSchema = {
  name: READ_RESULT,
  description: `Reads a part of an earlier tool result that was too long to be shown: up to ${PART} characters from an offset.`,
  inputSchema: {
    type: 'object',
    properties: {
      tool_use_id: { type: 'string', description: 'The id that the shortened result names.' },
      offset: { type: 'integer', minimum: 0, description: 'The first character, from 0.' },
    },
    required: ['tool_use_id'],
  },
}

/** Yields a result; stores a long one, and shows the model its beginning and how to read the rest. */
export function* keepLargeResult(
  run: Run,
  call: AnnouncedCall,
  answer: ToolAnswer,
): Generator<CallUpdate, void, undefined> {
  const { maxResultChars, maxKeptChars } = run.settings
  if (answer.text.length <= maxResultChars || typeof answer.content !== 'string')
    return yield* toAnswered(run, call, answer)
  const kept = toKept(call.id, answer.text, maxKeptChars)
  const part = Math.min(PART, maxResultChars)
  const short: ToolAnswer = { ...textAnswer(shorten(kept, part)), isError: answer.isError }
  for (const { change, event } of toAnswered(run, call, short))
    yield change === undefined
      ? { event }
      : { event, change: (state) => keep(change(state), kept, maxKeptChars) }
}

/** Answers a call that reads a part of a stored result. */
export function readStoredResult(kept: readonly StoredResult[], call: AnnouncedCall): ToolAnswer {
  const { tool_use_id: id, offset = 0 } = parseJsonObject(call.inputText) ?? {}
  const found = kept.find(({ toolUseId: callId }) => callId === id)
  if (found === undefined) {
    const ids = kept.map(({ toolUseId: callId }) => callId).join(', ')
    return errorAnswer(
      `No result of call "${String(id)}" is stored. The results of these calls are stored: ${ids}. For another, call its tool again.`,
    )
  }
  return textAnswer(readPart(found, typeof offset === 'number' ? offset : 0))
}

function readPart({ text, fullLength }: StoredResult, offset: number): string {
  const from = toBoundary(text, Math.trunc(offset))
  if (from >= text.length)
    return fullLength === undefined
      ? `[The result has only ${text.length} characters.]`
      : `[Of the ${fullLength} characters of the result only the first ${text.length} are kept.]`
  const to = toBoundary(text, from + PART)
  const left = text.length - to
  const rest = left > 0 ? `\n[${left} more characters follow, from offset ${to}.]` : ''
  return `${text.slice(from, to)}${rest}`
}

/** Returns the nearest position before that splits no surrogate pair, because model APIs reject half of one. */
function toBoundary(text: string, place: number): number {
  const within = Math.min(Math.max(place, 0), text.length)
  return /^[\udc00-\udfff]/.test(text.slice(within, within + 1)) && within > 0 ? within - 1 : within
}

function toKept(callId: string, text: string, maxChars: number): StoredResult {
  if (text.length <= maxChars) return { toolUseId: callId, text }
  // A slice would keep the whole text alive; this copies it.
  const beginning = ` ${text.slice(0, toBoundary(text, maxChars))}`.slice(1)
  return { toolUseId: callId, text: beginning, fullLength: text.length }
}

/** Stores a result and drops the oldest ones beyond the bound, because every checkpoint contains them. */
function keep(state: AgentState, kept: StoredResult, maxChars: number): AgentState {
  const all = [...(state.kept ?? []), kept]
  let room = maxChars
  const lastGone = all.findLastIndex(({ text }) => (room -= text.length) < 0)
  return { ...state, kept: all.slice(lastGone + 1) }
}

function shorten({ toolUseId: callId, text, fullLength }: StoredResult, part: number): string {
  const end = toBoundary(text, part)
  const size =
    fullLength === undefined
      ? `${text.length} characters`
      : `${fullLength} characters, of which the first ${text.length} are kept`
  return `${text.slice(0, end)}\n[The result has ${size}, and these are the first ${end}. Read on with ${READ_RESULT}, tool_use_id "${callId}", offset ${end}.]`
}
