import { estimateTokens, findRunStart, keepValid, planCache } from '../compaction/index.ts'
import type { AgentEvent, Message, ModelRequest, ToolSchema } from '../../events/index.ts'
import { type AgentState, type CompactedContext, skippedCount } from '../state/index.ts'
import type { Checkpoint } from '../agent.ts'
import { checkpoint, countUsage, type Run } from '../run.ts'
import { awaitOrAbort } from '../../streams/index.ts'
import { readResultSchema } from '../calls/large-results.ts'
import { spawnSchema } from '../subagents/spawn-schema.ts'

/**
 * Returns the messages to send to the model: the conversation, or its compacted beginning and the rest. They are made valid, because a
 * provider may leave one of its calls without result, and every later request would fail.
 */
export function toSentMessages(state: AgentState): readonly Message[] {
  const { messages, context } = state
  if (context === undefined) return keepValid(messages)
  const { coversBlocks } = context
  const covers = context.covers - skippedCount(state)
  const last = messages[covers - 1]
  const more = last && { ...last, content: last.content.slice(coversBlocks) }
  return keepValid([...context.messages, ...(more ? [more] : []), ...messages.slice(covers)])
}

/** Compacts the messages for the model if they are too long; the stored conversation stays complete. */
export async function* compactContext(
  run: Run,
  { isFull = false }: { readonly isFull?: boolean } = {},
): AsyncGenerator<AgentEvent | Checkpoint, boolean, undefined> {
  const { settings, state, signal, permit } = run
  await permit()
  if (signal.aborted) return false
  const sent = toSentMessages(state)
  const tokensBefore = estimateTokens(sent)
  const { contextTokens } = state
  const compacting = settings.compactor.compact({
    messages: sent,
    estimatedTokens: tokensBefore,
    // The provider rejected the request as too long, for any estimate.
    ...(isFull ? { contextTokens: Infinity } : contextTokens !== undefined && { contextTokens }),
    runStart: findRunStart(sent, state.messages[state.runStart - skippedCount(state)]),
    model: run.model,
    ...(run.system !== undefined && { system: run.system }),
    signal,
    permit,
    onUsage: (usage, modelId) => countUsage(run, usage, modelId),
  })
  const short = await awaitOrAbort(compacting, signal)
  if (short === undefined || short === sent) return false
  // A request must end with the same role as the conversation.
  if (short.at(-1)?.role !== sent.at(-1)?.role) return false
  const { contextTokens: _, ...rest } = run.state
  run.state = { ...rest, context: toContext(state, short) }
  yield checkpoint(run.state)
  yield {
    type: 'compaction',
    agent: state.agent,
    strategy: settings.compactor.name,
    tokensBefore,
    tokensAfter: estimateTokens(short),
  }
  return true
}

/** Leaves out an answer that the model continues, because it still changes. */
function toContext(state: AgentState, short: readonly Message[]): CompactedContext {
  const { messages } = state
  const last = messages.at(-1)
  const covers = last?.role === 'assistant' ? messages.length - 1 : messages.length
  return {
    messages: covers < messages.length ? short.slice(0, -1) : short,
    covers: skippedCount(state) + covers,
    coversBlocks: messages[covers - 1]?.content.length ?? 0,
  }
}

/** The instruction for the last call of a run that has reached `maxSteps`. */
const SUMMARY_RULE =
  'You have used all the steps of this task. Do not call tools any more: sum up what you have found and done, and what is left to do, as your final answer.'

/** Options of a model request. */
export interface RequestOptions {
  /** Requests a summary without calls. */
  readonly isSummary?: boolean
}

/** Returns the tools that the model gets in the current state of a run. */
export function offeredTools({ settings, state, toolbox }: Run): readonly ToolSchema[] {
  return [
    ...toolbox.schemas,
    ...(settings.subagents.size > 0 ? [spawnSchema(settings.subagents)] : []),
    ...(state.kept === undefined ? [] : [readResultSchema]),
  ]
}

/** Creates the model request of a step from the state of a run. */
export function toRequest(run: Run, { isSummary = false }: RequestOptions = {}): ModelRequest {
  const { settings, state, system: own } = run
  const tools = offeredTools(run)
  // The tools stay in a summary, because the conversation contains calls of them.
  const toolChoice = isSummary ? 'none' : run.toolChoice
  const system = [own, settings.output?.instruction, isSummary ? SUMMARY_RULE : undefined]
    .filter((text) => text !== undefined)
    .join('\n\n')
  const request: ModelRequest = {
    messages: toSentMessages(state),
    maxTokens: settings.maxTokens,
    ...(system !== '' && { system }),
    ...(tools.length > 0 && { tools }),
    ...(toolChoice !== undefined && { toolChoice }),
    ...(state.container !== undefined && { container: state.container }),
  }
  if (!settings.cachePrompt) return request
  return { ...request, cache: planCache(request, { modelId: run.model.id }) }
}
