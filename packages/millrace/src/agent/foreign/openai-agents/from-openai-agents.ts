import { badRequest, checkOptions } from '../../../errors/index.ts'
import {
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  parseJsonOr,
} from '../../../json/index.ts'
import type { Agent, RecoveryMode } from '../../port/index.ts'
import { createForeignAgent } from '../create-foreign-agent.ts'
import type { LoopInput, RememberingInput } from '../foreign-loop.ts'
import { checkLoop, type LoopOptions } from '../from-events.ts'
import type { LoopEvent, LoopMemory } from '../loop-event.ts'
import { readLoop } from '../loop-failure.ts'
import type { OpenAiItem } from './input-item.ts'
import { type OpenAiInterruption, type OpenAiRunEvent, RunReader } from './read-run.ts'
import { findState, type OpenAiRunState, restoreState } from './restore-state.ts'
import { toConversation } from './to-input-items.ts'

/** The input of a loop of the OpenAI Agents SDK. */
export interface OpenAiAgentInput<State> extends Omit<LoopInput, 'messages'> {
  /** The conversation so far, up to and including the prompt; after a pause for decisions, the restored state of the run. */
  readonly input: OpenAiItem[] | State
}

/** The result of `run(agent, input, { stream: true })`. */
export interface OpenAiRunResult extends AsyncIterable<OpenAiRunEvent> {
  /** The items that the run has added to its input; those of calls without a result are only in `newItems`. */
  readonly output: readonly object[]
  readonly newItems?: readonly { readonly type: string; readonly rawItem?: object }[]
  readonly interruptions?: readonly OpenAiInterruption[]
  readonly state: { readonly toString: () => string }
}

/** Options of {@link fromOpenAiAgents}. */
export interface OpenAiAgentOptions<State extends OpenAiRunState> extends LoopOptions {
  /** Restores the state of a run that waits for decisions: `(state) => RunState.fromString(agent, state)`. */
  readonly restore?: (state: string) => State | PromiseLike<State>
  /** Starts the loop with `stream: true`; pass `signal` on. */
  readonly run: (input: OpenAiAgentInput<State>) => OpenAiRunResult | PromiseLike<OpenAiRunResult>
  /** The names of browser tools. Define them with `needsApproval: true`; their functions never run. */
  readonly frontendTools?: readonly string[]
  /**
   * The recovery of a run whose server died. By default, `run` is called with the items up to the last step or result that was stored;
   * `rerun` repeats the whole run, and `end` ends it with an error.
   */
  readonly recovery?: RecoveryMode
}

/** Creates an agent from an agent of the OpenAI Agents SDK. */
export function fromOpenAiAgents<State extends OpenAiRunState = never>(
  options: OpenAiAgentOptions<State>,
): Agent {
  checkOptions('fromOpenAiAgents', options, {
    name: 'string',
    description: 'string',
    model: 'string',
    restore: 'function',
    run: 'function',
    frontendTools: 'list',
    recovery: 'string',
  })
  const { name, description, model, recovery = 'continue' } = options
  checkLoop('fromOpenAiAgents', options, recovery)
  return createForeignAgent({
    name,
    ...(description !== undefined && { description }),
    ...(model !== undefined && { model }),
    recovery,
    reportsRefusals: true,
    run: (input) => readRun(options, input),
  })
}

async function* readRun<State extends OpenAiRunState>(
  { run, restore, frontendTools = [] }: OpenAiAgentOptions<State>,
  input: RememberingInput,
): AsyncGenerator<LoopEvent | LoopMemory> {
  const { memory, remembered: _, messages: _messages, ...rest } = input
  const { answers } = input
  const paused = answers.length > 0 ? findState(memory) : undefined
  const conversation = toConversation(input)
  // The output of a restored run includes that of its parts before.
  const before = conversation.memory.slice(0, paused?.from)
  const given =
    paused === undefined || restore === undefined
      ? conversation.items
      : await restoreState(paused.state, restore, answers)
  const result = await run({ ...rest, input: given })
  const decided = answers.filter(({ kind }) => kind !== 'result').map(({ callId }) => callId)
  const denied = answers.filter(({ kind }) => kind === 'refused').map(({ callId }) => callId)
  const reader = new RunReader(decided, denied)
  const failure = yield* readLoop(readResult(result, reader), 'MaxTurnsExceededError')
  if (failure === 'failed') return
  const interruptions = result.interruptions ?? []
  yield* reader.pause(interruptions, frontendTools)
  const items = [...before, ...itemsOf(result)]
  if (interruptions.length > 0 && restore === undefined) throw missingRestore()
  const state = parseJsonOr(interruptions.length > 0 ? result.state.toString() : '', undefined)
  const waiting = state === undefined ? [] : [{ state, from: before.length }]
  yield { type: 'memory', items: [...items, ...waiting] }
}

/** Reads the events of a run. */
async function* readResult(result: OpenAiRunResult, reader: RunReader): AsyncGenerator<LoopEvent> {
  for await (const event of result) yield* reader.read(event)
}

function itemsOf({ output, newItems = [] }: OpenAiRunResult): readonly JsonObject[] {
  const answered = new Set(output.map(callIdOf))
  const waiting = newItems.flatMap(({ type, rawItem }) =>
    type === 'tool_call_item' && rawItem && !answered.has(callIdOf(rawItem)) ? [rawItem] : [],
  )
  const json: JsonValue = parseJsonOr(JSON.stringify([...output, ...waiting]), [])
  return isJsonArray(json) ? json.filter(isJsonObject) : []
}

const callIdOf = (item: object): unknown => ('callId' in item ? item.callId : undefined)

function missingRestore() {
  return badRequest(
    'A call waits for a decision, but `fromOpenAiAgents` cannot restore the run: it has no option `restore`. ' +
      'Pass `restore: (state) => RunState.fromString(agent, state)`.',
  )
}
