import { isOver } from './budget.ts'
import type { Compactor } from './compactor.ts'
import { CLEARED } from './sliding-window.ts'
import { changeResults, clearResult, countResults } from './tool-results.ts'

/** Which tool results are cleared, and when. */
export interface ClearToolResultsOptions {
  /** Only a larger request is changed; 0 clears old results at every step, which costs the prompt cache. */
  readonly maxTokens?: number
  /** So many of the newest results stay, and all those of the last message. */
  readonly keepLast?: number
  /** What stands for a result that was cleared. */
  readonly placeholder?: string
}

/** Replaces old tool results by a few words and keeps everything else. */
export function clearToolResults({
  maxTokens = 160_000,
  keepLast = 3,
  placeholder = CLEARED,
}: ClearToolResultsOptions = {}): Compactor {
  return {
    name: 'tool_result_removal',
    compact(input) {
      const { messages } = input
      if (!isOver(input, maxTokens)) return messages
      const end = countResults(messages) - keepLast
      const cleared = changeResults(messages, messages.length, (result, place) =>
        place < end ? clearResult(result, placeholder) : result,
      )
      return cleared.some((message, index) => message !== messages[index]) ? cleared : messages
    },
  }
}
