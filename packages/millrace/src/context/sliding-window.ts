import type { Message } from '../events/index.ts'
import { isOver, lighter, openChain, toOwnLimit } from './budget.ts'
import type { CompactionInput, Compactor } from './compactor.ts'
import { dropThoughts } from './drop-thoughts.ts'
import { estimateTokens } from './estimate-tokens.ts'
import { type Chain, cutToFit, findCuts, headLength, leaveOut } from './leave-out.ts'
import { bridge, withNotice } from './notes.ts'
import { changeResults, clearResult, shortenResult } from './tool-results.ts'

/** What a sliding window keeps. */
export interface SlidingWindowOptions {
  /** A larger request is made smaller. */
  readonly maxTokens?: number
  /** So small it is made: well below `maxTokens`, so that the next step does not start over and miss the cache. */
  readonly targetTokens?: number
  /** Messages at the beginning that are never left out; one more if it would end with an answer. */
  readonly keepFirst?: number
  /** Messages at the end that are left out only if nothing else helps. */
  readonly keepLast?: number
  /** So much is left of an old tool result before it is cleared. */
  readonly oldResultChars?: number
  /** Answers from the end whose tool results are not old. */
  readonly recentTurns?: number
}

/** What stands for a tool result that was cleared. */
export const CLEARED = '[This result was removed to save room. Call the tool again if you need it.]'

/**
 * Makes a conversation smaller step by step, until it is small enough: drops old thoughts, shortens old tool
 * results, clears them, leaves out the oldest messages; if need be then does the same to recent ones. The last
 * message, the first ones and the prompt of the run in hand stay.
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

/** Makes a conversation lighter in one way; `limit` is what it should weigh. */
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

/** Where the recent turns begin: an answer and what follows it are one. */
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
