import { MillraceError } from '../errors/index.ts'
import { clearToolResults } from './clear-tool-results.ts'
import { type CompactionInput, type Compactor, noCompaction } from './compactor.ts'
import { keepValid } from './keep-valid.ts'
import { slidingWindow } from './sliding-window.ts'
import { summarise } from './summarise.ts'

/** The compactors that can be chosen by name. */
export type CompactorName = 'sliding_window' | 'tool_result_removal' | 'summarizing' | 'none'

/** A compactor by name, or one of your own. */
export type CompactorChoice = CompactorName | Compactor

/** What a compactor that was chosen reports to. */
export interface CreateCompactorOptions {
  /** Told why a conversation could not be compacted as it was meant to be; the run goes on. */
  readonly onError?: (error: unknown) => void
}

const named: Readonly<Record<CompactorName, (options: CreateCompactorOptions) => Compactor>> = {
  sliding_window: () => slidingWindow(),
  tool_result_removal: () => clearToolResults(),
  summarizing: (options) => summarise(options),
  none: () => noCompaction,
}

/** Creates the compactor of a choice. What one of your own returns is made valid, and if it fails nothing is changed. */
export function createCompactor(
  choice: CompactorChoice,
  options: CreateCompactorOptions = {},
): Compactor {
  if (typeof choice !== 'string') return guard(choice, options)
  const create = Object.hasOwn(named, choice) ? named[choice] : undefined
  if (create !== undefined) return create(options)
  throw new MillraceError(
    'bad_request',
    `There is no compactor ${choice}: choose ${Object.keys(named).join(', ')} or give one of your own.`,
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
