import type { Message } from '../events/index.ts'
import { isOver, lighter, openChain, toOwnLimit } from './budget.ts'
import type { CompactionInput, Compactor } from './compactor.ts'
import { dropThoughts } from './drop-thoughts.ts'
import { estimateTokens } from './estimate-tokens.ts'
import { type Chain, cutToFit, findCuts, headLength, leaveOut } from './leave-out.ts'
import { bridge, withNotice } from './notes.ts'
import { changeResults, clearResult, shortenResult } from './tool-results.ts'

/** Options of {@link slidingWindow}. */
export interface SlidingWindowOptions {
  /** A larger request is compacted. */
  readonly maxTokens?: number
  /** Target size, well below `maxTokens`, so that the next step does not compact again and miss the cache. */
  readonly targetTokens?: number
  /** Number of first messages that are always kept; one more if the last of them is an answer. */
  readonly keepFirst?: number
  /** Number of last messages that are removed only if no other step is sufficient. */
  readonly keepLast?: number
  /** Number of characters kept of an old tool result before it is cleared. */
  readonly oldResultChars?: number
  /** Number of last answers whose tool results count as recent. */
  readonly recentTurns?: number
}

/** Replacement text of a cleared tool result. */
export const CLEARED = '[This result was removed to save room. Call the tool again if you need it.]'

/**
 * Creates a compactor that applies steps until the conversation is small enough: removes old thinking, shortens old
 * tool results, clears them, removes the oldest messages, then does the same to recent ones. Keeps the last message,
 * the first ones and the prompt of the current run.
 */
export function slidingWindow({
  maxTokens = 160_000,
  targetTokens = Math.floor(maxTokens * 0.8),
  keepFirst = 1,
  keepLast = 20,
  oldResultChars = 2000,
  recentTurns = 10,
}: SlidingWindowOptions = {}): Compactor {
  const steps: readonly Step[] = [
    changing((messages, runStart) => dropThoughts(messages, runStart)),
    changing((messages) => dropThoughts(messages, messages.length)),
    changing((messages) => shorten(messages, oldEnd(messages, recentTurns), oldResultChars)),
    changing((messages) => clear(messages, oldEnd(messages, recentTurns))),
    (chain) => leaveOutBefore(chain, keepFirst, chain.messages.length - keepLast),
    changing((messages) => shorten(messages, messages.length, oldResultChars)),
    changing((messages) => clear(messages, messages.length)),
    (chain, limit) => leaveOutToFit(chain, keepFirst, limit),
  ]
  return {
    name: 'sliding_window',
    compact(input) {
      return isOver(input, maxTokens) ? takeSteps(input, steps, targetTokens) : input.messages
    },
  }
}

/** Reduces a chain in one way; `limit` is the target size in tokens. */
type Step = (chain: Chain, limit: number) => Chain

function takeSteps(
  input: CompactionInput,
  steps: readonly Step[],
  targetTokens: number,
): readonly Message[] {
  const limit = toOwnLimit(input, targetTokens)
  let chain = openChain(input)
  for (const step of steps) {
    if (estimateTokens(chain.messages) <= limit) break
    chain = lighter(chain, step(chain, limit))
  }
  return chain.messages
}

function changing(
  change: (messages: readonly Message[], runStart: number) => readonly Message[],
): Step {
  return ({ messages, runStart }) => ({ messages: change(messages, runStart), runStart })
}

function shorten(messages: readonly Message[], end: number, maxChars: number): readonly Message[] {
  return changeResults(messages, end, (result) => shortenResult(result, maxChars))
}

function clear(messages: readonly Message[], end: number): readonly Message[] {
  return changeResults(messages, end, (result) => clearResult(result, CLEARED))
}

/** Returns the index of the first recent turn. An answer and the message after it are one turn. */
function oldEnd(messages: readonly Message[], recentTurns: number): number {
  let turns = 0
  for (let index = messages.length - 1; index >= 0; index--) {
    if (messages[index]?.role === 'assistant' && ++turns >= recentTurns) return index
  }
  return recentTurns > 0 ? 0 : messages.length
}

function leaveOutBefore(chain: Chain, keepFirst: number, end: number): Chain {
  const head = headLength(chain, keepFirst)
  const cut = findCuts(chain, head).findLast((index) => index <= end)
  return cut === undefined ? chain : leaveOut(chain, { head, cut, note: withNotice })
}

function leaveOutToFit(chain: Chain, keepFirst: number, limit: number): Chain {
  const head = headLength(chain, keepFirst)
  const fixed = [...chain.messages.slice(0, head), withNotice(bridge)]
  const cut = cutToFit(chain, head, limit - estimateTokens(fixed))
  return cut === undefined ? chain : leaveOut(chain, { head, cut, note: withNotice })
}
