import { checkOptions, type OptionTypes } from '../../errors/index.ts'
import { isThought, type Message } from '../../events/index.ts'
import { exceeds, scaleLimit, smallerOf, toChain } from './budget.ts'
import type { CompactionInput, Compactor } from './compactor.ts'
import { estimateTokens } from './tokens/estimate-tokens.ts'
import { fillerAnswer, withNotice } from './notes.ts'
import { type Chain, cutToFit, findCuts, headLength, removeGap } from './chain/remove-gap.ts'
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

const types: OptionTypes<SlidingWindowOptions> = {
  maxTokens: 'number',
  targetTokens: 'number',
  keepFirst: 'number',
  keepLast: 'number',
  oldResultChars: 'number',
  recentTurns: 'number',
}

/**
 * Creates a compactor that applies steps until the conversation is small enough: removes old thinking, shortens old
 * tool results, clears them, removes the oldest messages, then does the same to recent ones. Keeps the last message,
 * the first ones and the prompt of the current run.
 */
export function slidingWindow(options: SlidingWindowOptions = {}): Compactor {
  checkOptions('slidingWindow', options, types)
  const {
    maxTokens = 160_000,
    targetTokens = Math.floor(maxTokens * 0.8),
    keepFirst = 1,
    keepLast = 20,
    oldResultChars = 2000,
    recentTurns = 10,
  }: SlidingWindowOptions = ({} = options)
  const steps: readonly Step[] = [
    toStep((messages, runStart) => dropThinking(messages, runStart)),
    toStep((messages) => dropThinking(messages, messages.length)),
    toStep((messages) => shorten(messages, oldEnd(messages, recentTurns), oldResultChars)),
    toStep((messages) => clear(messages, oldEnd(messages, recentTurns))),
    (chain) => removeBefore(chain, keepFirst, chain.messages.length - keepLast),
    toStep((messages) => shorten(messages, messages.length, oldResultChars)),
    toStep((messages) => clear(messages, messages.length)),
    (chain, limit) => removeToFit(chain, keepFirst, limit),
  ]
  return {
    name: 'sliding_window',
    compact(input) {
      return exceeds(input, maxTokens) ? applySteps(input, steps, targetTokens) : input.messages
    },
  }
}

/** Reduces a chain in one way; `limit` is the target size in tokens. */
type Step = (chain: Chain, limit: number) => Chain

function applySteps(
  input: CompactionInput,
  steps: readonly Step[],
  targetTokens: number,
): readonly Message[] {
  const limit = scaleLimit(input, targetTokens)
  let chain = toChain(input)
  for (const step of steps) {
    if (estimateTokens(chain.messages) <= limit) break
    chain = smallerOf(chain, step(chain, limit))
  }
  return chain.messages
}

function toStep(
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

function removeBefore(chain: Chain, keepFirst: number, end: number): Chain {
  const head = headLength(chain, keepFirst)
  const cut = findCuts(chain, head).findLast((index) => index <= end)
  return cut === undefined ? chain : removeGap(chain, { head, cut, note: withNotice })
}

function removeToFit(chain: Chain, keepFirst: number, limit: number): Chain {
  const head = headLength(chain, keepFirst)
  const fixed = [...chain.messages.slice(0, head), withNotice(fillerAnswer)]
  const cut = cutToFit(chain, head, limit - estimateTokens(fixed))
  return cut === undefined ? chain : removeGap(chain, { head, cut, note: withNotice })
}

/**
 * Removes thinking from the first `end` messages, except from the last answer. The API requires its thinking
 * unchanged while the model waits for tool results.
 */
function dropThinking(messages: readonly Message[], end: number): readonly Message[] {
  const last = messages.findLastIndex(({ role }) => role === 'assistant')
  return messages.map((message, index) =>
    index < end && index !== last ? withoutThinking(message) : message,
  )
}

function withoutThinking(message: Message): Message {
  const content = message.content.filter((block) => !isThought(block))
  const isSame = content.length === message.content.length || content.length === 0
  return isSame ? message : { ...message, content }
}
