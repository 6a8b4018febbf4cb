import { DONE_DATA } from '../../sse/index.ts'
import { type EventDialect, readChoice } from '../port/index.ts'
import { type AiSdkOptions, UiWriter } from './ui-writer.ts'

/**
 * The UI message stream, version 1, of the AI SDK: what `useChat` of its versions 6 and 7 reads. Each run is one
 * message, whose id is the id of the run.
 */
export function aiSdkDialect({
  subagents = 'data',
  rollback = 'data',
  maxSubagentBlockLength = 1_048_576,
}: AiSdkOptions = {}): EventDialect {
  const options = { subagents, rollback, maxSubagentBlockLength }
  return {
    name: 'ai-sdk',
    reads: 'events',
    headers: { 'x-vercel-ai-ui-message-stream': 'v1' },
    done: DONE_DATA,
    hasLogInIds: true,
    open: (root, { session = root } = {}) => new UiWriter(root, session, options),
  }
}

/** Makes the dialect of the AI SDK. */
export function createAiSdk(query: URLSearchParams): EventDialect {
  return aiSdkDialect({
    ...readChoice(query, 'subagents', ['data', 'inline', 'drop']),
    ...readChoice(query, 'rollback', ['data', 'reset-step']),
  })
}
