import { estimateTokens, findRunStart, keepValid } from '../compaction/index.ts'
import type { AgentEvent, Message } from '../../events/index.ts'
import type { AgentState, CompactedContext } from '../state/index.ts'
import type { Checkpoint } from '../agent.ts'
import { checkpoint, type Run } from '../run.ts'
import { countUsage } from './spend.ts'
import { unlessAborted } from '../unless-aborted.ts'

/**
 * What the model is sent of a conversation: all of it, or what stands for its beginning and the rest. Made valid,
 * because a provider may leave a call of its own without result, and one bad request would follow another.
 */
export function toSentMessages({ messages, context }: AgentState): readonly Message[] {
  if (context === undefined) return keepValid(messages)
  const { covers, coversBlocks } = context
  const last = messages[covers - 1]
  const more = last && { ...last, content: last.content.slice(coversBlocks) }
  return keepValid([...context.messages, ...(more ? [more] : []), ...messages.slice(covers)])
}

/** Shortens what the model is sent, if its compactor finds it too long; the conversation itself stays whole. */
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
    // A provider that refuses the request has said that it is too long, whatever we think.
    ...(isFull ? { contextTokens: Infinity } : contextTokens !== undefined && { contextTokens }),
    runStart: findRunStart(sent, state.messages[state.runStart]),
    model: settings.model,
    ...(settings.system !== undefined && { system: settings.system }),
    signal,
    permit,
    onUsage: (usage, modelId) => countUsage(run, usage, modelId),
  })
  const short = await unlessAborted(compacting, signal)
  if (short === undefined || short === sent) return false
  // A request that ends with other words than the conversation does is not the one to be made.
  if (short.at(-1)?.role !== sent.at(-1)?.role) return false
  const { contextTokens: _, ...rest } = run.state
  run.state = { ...rest, context: toContext(state.messages, short) }
  yield checkpoint(run.state)
  yield {
    type: 'compacted',
    agent: state.agent,
    strategy: settings.compactor.name,
    tokensBefore,
    tokensAfter: estimateTokens(short),
  }
  return true
}

/** An answer that the model goes on with stays out of it: it is the model's own to change. */
function toContext(messages: readonly Message[], short: readonly Message[]): CompactedContext {
  const last = messages.at(-1)
  const covers = last?.role === 'assistant' ? messages.length - 1 : messages.length
  return {
    messages: covers < messages.length ? short.slice(0, -1) : short,
    covers,
    coversBlocks: messages[covers - 1]?.content.length ?? 0,
  }
}
