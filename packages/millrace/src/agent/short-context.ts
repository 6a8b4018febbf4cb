import { estimateTokens, findRunStart } from '../context/index.ts'
import type { AgentEvent, Message } from '../events/index.ts'
import type { AgentState } from './agent-state.ts'
import type { Checkpoint } from './agent.ts'
import { checkpoint, type Run } from './run.ts'
import { spend } from './spend.ts'

/** What the model is sent of a conversation: all of it, or what stands for its beginning and the rest. */
export function toSentMessages({ messages, context }: AgentState): readonly Message[] {
  return context === undefined ? messages : [...context.messages, ...messages.slice(context.covers)]
}

/** Shortens what the model is sent, if its compactor finds it too long; the conversation itself stays whole. */
export async function* shortenContext(
  run: Run,
  { isFull = false }: { readonly isFull?: boolean } = {},
): AsyncGenerator<AgentEvent | Checkpoint, boolean, undefined> {
  const { settings, state, signal } = run
  const sent = toSentMessages(state)
  const tokensBefore = estimateTokens(sent)
  const { contextTokens } = state
  const short = await settings.compactor.compact({
    messages: sent,
    estimatedTokens: tokensBefore,
    // A provider that refuses the request has said that it is too long, whatever we think.
    ...(isFull ? { contextTokens: Infinity } : contextTokens !== undefined && { contextTokens }),
    runStart: findRunStart(sent, state.messages[state.runStart]),
    model: settings.model,
    ...(settings.system !== undefined && { system: settings.system }),
    signal,
    onUsage: (usage, modelId) => spend(run, usage, modelId),
  })
  if (short === sent) return false
  // The newest message stays out of it: results and people's words may still be added to it.
  const context = { messages: short.slice(0, -1), covers: state.messages.length - 1 }
  const { contextTokens: _, ...rest } = run.state
  run.state = { ...rest, context }
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
