import { planCache } from '../compaction/index.ts'
import type { ModelRequest } from '../../events/index.ts'
import { readResultSchema } from '../calls/large-results.ts'
import type { Run } from '../run.ts'
import { toSentMessages } from './compacted-context.ts'
import { spawnSchema } from '../subagents/spawn-schema.ts'

/** The instruction for the last call of a run that has reached `maxSteps`. */
const SUMMARY_RULE =
  'You have used all the steps of this task. Do not call tools any more: sum up what you have found and done, and what is left to do, as your final answer.'

/** Options of {@link toRequest}. */
export interface RequestOptions {
  /** Requests a summary without calls. */
  readonly isSummary?: boolean
}

/** Creates the next request to the model. */
export function toRequest(
  { settings, state }: Run,
  { isSummary = false }: RequestOptions = {},
): ModelRequest {
  const tools = [
    ...settings.toolbox.schemas,
    ...(settings.subagents.size > 0 ? [spawnSchema(settings.subagents)] : []),
    ...(state.kept === undefined ? [] : [readResultSchema]),
  ]
  const system = [settings.system, isSummary ? SUMMARY_RULE : undefined]
    .filter((text) => text !== undefined)
    .join('\n\n')
  const request: ModelRequest = {
    messages: toSentMessages(state),
    maxTokens: settings.maxTokens,
    ...(system !== '' && { system }),
    ...(tools.length > 0 && { tools }),
    // The tools stay, because the conversation contains calls of them.
    ...(isSummary && { toolChoice: 'none' as const }),
    ...(state.container !== undefined && { container: state.container }),
  }
  if (!settings.cachePrompt) return request
  return { ...request, cache: planCache(request, { modelId: settings.model.id }) }
}
