import { checkOptions } from '../../../errors/index.ts'
import { isJsonArray, isJsonObject, type JsonValue, parseJsonOr } from '../../../json/index.ts'
import type { Agent, RecoveryMode } from '../../port/index.ts'
import { createForeignAgent } from '../create-foreign-agent.ts'
import type { LoopInput, RememberingInput } from '../foreign-loop.ts'
import { checkLoop, type LoopOptions } from '../from-events.ts'
import type { LoopEvent, LoopMemory } from '../loop-event.ts'
import type { AiSdkMessage } from './model-message.ts'
import { type AiSdkPart, createPartReader } from './read-parts.ts'
import { toConversation } from './to-model-messages.ts'

/** The input of a loop of the AI SDK. */
export interface AiSdkInput extends Omit<LoopInput, 'messages'> {
  /** The conversation so far as `ModelMessage`s, up to and including the prompt or the answers. */
  readonly messages: AiSdkMessage[]
}

/** The result of `streamText`, or of `stream` of a `ToolLoopAgent`. */
export interface AiSdkResult {
  readonly fullStream: AsyncIterable<AiSdkPart>
  /** Has the messages of the run in version 6. */
  readonly response: PromiseLike<object>
  /** The messages of the run in version 7. */
  readonly responseMessages?: PromiseLike<readonly object[]>
}

/** Options of {@link fromAiSdk}. */
export interface AiSdkAgentOptions extends LoopOptions {
  /** Starts the loop; pass `signal` on as its `abortSignal`. */
  readonly run: (input: AiSdkInput) => AiSdkResult | PromiseLike<AiSdkResult>
  /**
   * The recovery of a run whose server died. By default, `run` is called with the messages up to the last step or result that was stored;
   * `rerun` repeats the whole run, and `end` ends it with an error.
   */
  readonly recovery?: RecoveryMode
}

/** Creates an agent from a loop of the AI SDK, version 6 or 7: `streamText`, or a `ToolLoopAgent`. */
export function fromAiSdk(options: AiSdkAgentOptions): Agent {
  checkOptions('fromAiSdk', options, {
    name: 'string',
    description: 'string',
    model: 'string',
    run: 'function',
    recovery: 'string',
  })
  const { name, description, model, run, recovery = 'continue' } = options
  checkLoop('fromAiSdk', options, recovery)
  return createForeignAgent({
    name,
    ...(description !== undefined && { description }),
    ...(model !== undefined && { model }),
    recovery,
    reportsRefusals: true,
    run: (input) => readRun(run, input),
  })
}

async function* readRun(
  run: AiSdkAgentOptions['run'],
  input: RememberingInput,
): AsyncGenerator<LoopEvent | LoopMemory> {
  const { memory: _, remembered: _remembered, ...rest } = input
  const { messages, items } = toConversation(input)
  const result = await run({ ...rest, messages })
  const read = createPartReader()
  for await (const part of result.fullStream) yield* read(part)
  const added = await messagesOf(result)
  if (added !== undefined) yield { type: 'memory', items: [...items, ...added] }
}

/** Returns the messages of a run as JSON; undefined if it has failed. */
async function messagesOf(result: AiSdkResult): Promise<readonly JsonValue[] | undefined> {
  try {
    const response: object = await result.response
    const inResponse = 'messages' in response ? response.messages : undefined
    const messages = (await result.responseMessages) ?? inResponse
    const json = parseJsonOr(JSON.stringify(messages ?? []), [])
    return isJsonArray(json) ? json.filter(isJsonObject) : []
  } catch {
    return undefined
  }
}
