import { isResult } from '../../events/index.ts'
import type { CompactionInput } from './compactor.ts'
import { estimateTokens } from './tokens/estimate-tokens.ts'
import { findRunStart } from './chain/check-chain.ts'
import { keepValid } from './chain/keep-valid.ts'
import type { Chain } from './chain/remove-gap.ts'

type Measured = Pick<CompactionInput, 'messages' | 'estimatedTokens' | 'contextTokens'>

/** Checks whether a request exceeds a limit, by the estimate or the provider's count, the larger of both. */
export function exceeds(
  { estimatedTokens, contextTokens = 0 }: Measured,
  maxTokens: number,
): boolean {
  return Math.max(estimatedTokens, contextTokens) > maxTokens
}

/**
 * Converts a limit to the scale of the estimate. If the provider counted more tokens than estimated, the limit
 * shrinks in proportion. If the provider only rejected the request, the limit is at most half of the estimate.
 */
export function scaleLimit(
  { messages, estimatedTokens, contextTokens = 0 }: Measured,
  tokens: number,
): number {
  const own = estimateTokens(messages)
  const used = Math.max(estimatedTokens, contextTokens, 1)
  return Math.floor(used === Infinity ? Math.min(tokens, own / 2) : (tokens * own) / used)
}

/** Creates the chain to compact: valid messages, and the index of the run's prompt. */
export function toChain({ messages, runStart }: CompactionInput): Chain {
  const valid = keepValid(messages)
  const prompt = messages[runStart]
  const isUsable = prompt?.role === 'user' && prompt.content.some((block) => !isResult(block))
  return { messages: valid, runStart: findRunStart(valid, isUsable ? prompt : undefined) }
}

/** Returns the second chain if its estimate is smaller, else the first. */
export function smallerOf(before: Chain, after: Chain): Chain {
  return estimateTokens(after.messages) < estimateTokens(before.messages) ? after : before
}
