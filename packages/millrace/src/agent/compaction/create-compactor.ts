import { badRequest } from '../../errors/index.ts'
import { clearToolResults } from './clear-tool-results.ts'
import { type CompactionInput, type Compactor, noCompaction } from './compactor.ts'
import { keepValid } from './chain/keep-valid.ts'
import { slidingWindow } from './sliding-window.ts'
import { summarise } from './summarise.ts'

/** Names of the built-in compactors. */
export type CompactorName = 'sliding_window' | 'tool_result_removal' | 'summarizing' | 'none'

/** The name of a built-in compactor, or a custom compactor. */
export type CompactorChoice = CompactorName | Compactor

/** Options of {@link createCompactor}. */
export interface CreateCompactorOptions {
  /** Receives the error of a failed compaction. The run continues. */
  readonly onError?: (error: unknown) => void
}

const named: Readonly<Record<CompactorName, (options: CreateCompactorOptions) => Compactor>> = {
  sliding_window: () => slidingWindow(),
  tool_result_removal: () => clearToolResults(),
  summarizing: (options) => summarise(options),
  none: () => noCompaction,
}

/** Creates a compactor. The result of a custom compactor is made valid; if it throws, the messages stay unchanged. */
export function createCompactor(
  choice: CompactorChoice,
  options: CreateCompactorOptions = {},
): Compactor {
  if (typeof choice !== 'string') return guard(choice, options)
  const create = Object.hasOwn(named, choice) ? named[choice] : undefined
  if (create !== undefined) return create(options)
  throw badRequest(
    `There is no compactor ${choice}: choose ${Object.keys(named).join(', ')} or pass your own.`,
  )
}

function guard(own: Compactor, { onError = () => {} }: CreateCompactorOptions): Compactor {
  async function compact(input: CompactionInput) {
    try {
      const messages = await own.compact(input)
      if (messages === input.messages) return messages
      const valid = keepValid(messages)
      return valid.length > 0 ? valid : input.messages
    } catch (error) {
      if (!input.signal.aborted) onError(error)
      return input.messages
    }
  }
  return { name: own.name, compact }
}
