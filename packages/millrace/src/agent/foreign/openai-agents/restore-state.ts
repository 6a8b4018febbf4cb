import {
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  toText,
} from '../../../json/index.ts'
import type { LoopAnswer } from '../loop-event.ts'
import type { OpenAiInterruption } from './read-run.ts'

/** The state of a run that waits for decisions: `RunState` of the OpenAI Agents SDK. */
export interface OpenAiRunState {
  getInterruptions(): readonly OpenAiInterruption[]
  approve(interruption: OpenAiInterruption): void
  reject(interruption: OpenAiInterruption, options?: { message?: string }): void
}

/** The stored state of a run that waits, and the number of items of the memory before the run. */
interface PausedRun {
  readonly state: JsonObject
  readonly from: number
}

/** Finds the state of a run that waits, in the memory. */
export function findState(memory: readonly JsonValue[]): PausedRun | undefined {
  const last = memory.at(-1)
  if (!isJsonObject(last) || !isJsonObject(last['state'])) return undefined
  const { state, from } = last
  return isJsonObject(state) && typeof from === 'number' ? { state, from } : undefined
}

/** Restores the state of a run with the answers to its calls. */
export async function restoreState<State extends OpenAiRunState>(
  stored: JsonObject,
  restore: (state: string) => State | PromiseLike<State>,
  answers: readonly LoopAnswer[],
): Promise<State> {
  const edited = answers.filter(({ isEdited }) => isEdited)
  const inputs = new Map(edited.map(({ callId, input }) => [callId, toText(input)]))
  const state = await restore(JSON.stringify(withInputs(stored, inputs)))
  for (const interruption of state.getInterruptions()) {
    const { callId, id }: { callId?: unknown; id?: unknown } = { ...interruption.rawItem }
    const answer = answers.find((one) => one.callId === (callId ?? id))
    if (answer?.kind === 'approved') state.approve(interruption)
    // The SDK has no results from elsewhere: the message of a rejection becomes the result of the call.
    else if (answer !== undefined) state.reject(interruption, { message: messageOf(answer) })
  }
  return state
}

/** Replaces the arguments of calls that a user has edited. */
function withInputs(value: JsonValue, inputs: ReadonlyMap<unknown, string>): JsonValue {
  if (inputs.size === 0) return value
  if (isJsonArray(value)) return value.map((one) => withInputs(one, inputs))
  if (!isJsonObject(value)) return value
  const members = Object.entries(value).map(
    ([name, one]) => [name, withInputs(one, inputs)] as const,
  )
  const copy: JsonObject = Object.fromEntries(members)
  const edited = value['type'] === 'function_call' ? inputs.get(value['callId']) : undefined
  return edited === undefined ? copy : { ...copy, arguments: edited }
}

function messageOf({ kind, content, reason = '' }: LoopAnswer): string {
  if (kind === 'result') return typeof content === 'string' ? content : textOf(content)
  return `The user refused this call; it was not run.${reason === '' ? '' : ` Their reason: ${reason}`}`
}

function textOf(blocks: Exclude<LoopAnswer['content'], string>): string {
  return blocks.flatMap(({ type, text }) => (type === 'text' ? [String(text)] : [])).join('\n')
}
