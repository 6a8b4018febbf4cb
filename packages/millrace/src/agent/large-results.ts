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
export function* keepLargeResult(run: Run, call: AwaitedCall, answer: ToolAnswer): Generator<Deed> {
  if (answer.text.length <= run.settings.maxResultChars || typeof answer.content !== 'string')
    return yield* toAnswered(run, call, answer)
  const kept: KeptResult = { toolUseId: call.id, text: answer.text }
  const short: ToolAnswer = { ...textAnswer(shorten(kept)), isError: answer.isError }
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
  const from = typeof offset === 'number' && offset >= 0 ? Math.trunc(offset) : 0
  const to = Math.min(from + PART, found.text.length)
  const rest = to < found.text.length ? `\n[${found.text.length - to} more characters follow.]` : ''
  return textAnswer(`${found.text.slice(from, to)}${rest}`)
}

function keep(state: AgentState, kept: KeptResult): AgentState {
  return { ...state, kept: [...(state.kept ?? []), kept] }
}

function shorten({ toolUseId, text }: KeptResult): string {
  return `${text.slice(0, PART)}\n[The result has ${text.length} characters, of which these are the first ${PART}. Read on with ${READ_RESULT}, tool_use_id "${toolUseId}", offset ${PART}.]`
}
