import { checkOptions, type OptionTypes } from '../../errors/index.ts'
import { exceeds } from './budget.ts'
import type { Compactor } from './compactor.ts'
import { CLEARED } from './sliding-window.ts'
import { changeResults, clearResult, countResults } from './tool-results.ts'

/** Options of {@link clearToolResults}. */
export interface ClearToolResultsOptions {
  /** Only a larger request is changed. 0 clears old results at every step, which invalidates the prompt cache. */
  readonly maxTokens?: number
  /** Number of newest results to keep. All results of the last message are kept as well. */
  readonly keepLast?: number
  /** Replacement text of a cleared result. */
  readonly placeholder?: string
}

const types: OptionTypes<ClearToolResultsOptions> = {
  maxTokens: 'number',
  keepLast: 'number',
  placeholder: 'string',
}

/** Creates a compactor that replaces old tool results by a placeholder and changes nothing else. */
export function clearToolResults(options: ClearToolResultsOptions = {}): Compactor {
  checkOptions('clearToolResults', options, types)
  const {
    maxTokens = 160_000,
    keepLast = 3,
    placeholder = CLEARED,
  }: ClearToolResultsOptions = ({} = options)
  return {
    name: 'tool_result_removal',
    compact(input) {
      const { messages } = input
      if (!exceeds(input, maxTokens)) return messages
      const end = countResults(messages) - keepLast
      const cleared = changeResults(messages, messages.length, (result, place) =>
        place < end ? clearResult(result, placeholder) : result,
      )
      return cleared.some((message, index) => message !== messages[index]) ? cleared : messages
    },
  }
}
