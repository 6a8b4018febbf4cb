import { planCache } from '../compaction/index.ts'
import type { ModelRequest } from '../../events/index.ts'
import { readResultSchema } from '../calls/large-results.ts'
import type { Run } from '../run.ts'
import { toSentMessages } from './compacted-context.ts'
import { spawnSchema } from '../subagents/spawn-schema.ts'

/** What the last call of a run that has used up its steps is told. */
const SUMMARY_RULE =
  'You have used all the steps of this task. Do not call tools any more: sum up what you have found and done, and what is left to do, as your final answer.'

/** What is asked of the model. */
export interface RequestOptions {
  /** A last word without calls. */
  readonly isSummary?: boolean
}

/** The next question to the model. */
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
    // The tools stay, since calls of theirs are in the conversation.
    ...(isSummary && { toolChoice: 'none' as const }),
    ...(state.container !== undefined && { container: state.container }),
  }
  if (!settings.cachePrompt) return request
  return { ...request, cache: planCache(request, { modelId: settings.model.id }) }
}
