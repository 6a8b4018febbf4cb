import { isResult } from '../events/index.ts'
import type { CompactionInput } from './compactor.ts'
import { estimateTokens } from './estimate-tokens.ts'
import { findRunStart } from './find-run-start.ts'
import { keepValid } from './keep-valid.ts'
import type { Chain } from './leave-out.ts'

type Measured = Pick<CompactionInput, 'messages' | 'estimatedTokens' | 'contextTokens'>

/** Tells whether a request is larger than it may be, by the larger of the estimate and what the provider counted. */
export function isOver(
  { estimatedTokens, contextTokens = 0 }: Measured,
  maxTokens: number,
): boolean {
  return Math.max(estimatedTokens, contextTokens) > maxTokens
}

/**
 * A limit in terms of our estimate of the messages: where the provider counted more than was estimated, the same
 * share more is expected of what will be left. Where it only said that it was too much, half of it is tried.
 */
export function toOwnLimit(
  { messages, estimatedTokens, contextTokens = 0 }: Measured,
  tokens: number,
): number {
  const own = estimateTokens(messages)
  const used = Math.max(estimatedTokens, contextTokens, 1)
  return Math.floor(used === Infinity ? Math.min(tokens, own / 2) : (tokens * own) / used)
}

/** The conversation to work on, valid and with the place of a prompt. */
export function openChain({ messages, runStart }: CompactionInput): Chain {
  const valid = keepValid(messages)
  const prompt = messages[runStart]
  const isUsable = prompt?.role === 'user' && prompt.content.some((block) => !isResult(block))
  return { messages: valid, runStart: findRunStart(valid, isUsable ? prompt : undefined) }
}

/** Keeps a change only if it makes a conversation lighter. */
export function lighter(before: Chain, after: Chain): Chain {
  return estimateTokens(after.messages) < estimateTokens(before.messages) ? after : before
}
