import type { AwaitedCall, ToolSchema } from '../events/index.ts'
import { isJsonObject } from '../json/index.ts'
import { errorAnswer, parseInput, textAnswer, type ToolAnswer } from '../tools/index.ts'
import type { AgentState, KeptResult } from './agent-state.ts'
import { type Deed, toAnswered } from './deed.ts'
import type { Run } from './run.ts'

/** The tool with which a model reads on in a result that was too long for it. */
export const READ_RESULT = 'read_result'

/** How many characters of a long result the model is shown, and gets at a time. */
const PART = 4000

/** As the model is offered it. */
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

/** Tells a result; one that is too long is kept whole, and the model gets its beginning and how to read on. */
export function* keepLargeResult(
  run: Run,
  call: AwaitedCall,
  answer: ToolAnswer,
): Generator<Deed, void, undefined> {
  if (answer.text.length <= run.settings.maxResultChars || typeof answer.content !== 'string')
    return yield* toAnswered(run, call, answer)
  const kept: KeptResult = { toolUseId: call.id, text: answer.text }
  const part = Math.min(PART, run.settings.maxResultChars)
  const short: ToolAnswer = { ...textAnswer(shorten(kept, part)), isError: answer.isError }
  for (const { change, event } of toAnswered(run, call, short))
    yield change === undefined ? { event } : { event, change: (state) => keep(change(state), kept) }
}

/** Answers a call of {@link READ_RESULT}. */
export function readKeptResult(kept: readonly KeptResult[], call: AwaitedCall): ToolAnswer {
  const input = parseInput(call.inputText)
  const { tool_use_id: id, offset = 0 } =
    'value' in input && isJsonObject(input.value) ? input.value : {}
  const found = kept.find(({ toolUseId }) => toolUseId === id)
  if (found === undefined) {
    const ids = kept.map(({ toolUseId }) => toolUseId).join(', ')
    return errorAnswer(`No result of call "${String(id)}" was kept. Kept are those of: ${ids}.`)
  }
  return textAnswer(readPart(found.text, typeof offset === 'number' ? offset : 0))
}

function readPart(text: string, offset: number): string {
  const from = toBoundary(text, Math.trunc(offset))
  if (from >= text.length) return `[The result has only ${text.length} characters.]`
  const to = toBoundary(text, from + PART)
  const left = text.length - to
  const rest = left > 0 ? `\n[${left} more characters follow, from offset ${to}.]` : ''
  return `${text.slice(from, to)}${rest}`
}

/** The place nearest before, within the text, that parts no character: model APIs refuse half of one. */
function toBoundary(text: string, place: number): number {
  const within = Math.min(Math.max(place, 0), text.length)
  return /^[\udc00-\udfff]/.test(text.slice(within, within + 1)) && within > 0 ? within - 1 : within
}

function keep(state: AgentState, kept: KeptResult): AgentState {
  return { ...state, kept: [...(state.kept ?? []), kept] }
}

function shorten({ toolUseId, text }: KeptResult, part: number): string {
  const end = toBoundary(text, part)
  return `${text.slice(0, end)}\n[The result has ${text.length} characters, of which these are the first ${end}. Read on with ${READ_RESULT}, tool_use_id "${toolUseId}", offset ${end}.]`
}
