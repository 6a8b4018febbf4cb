import { DONE_DATA } from '../../sse/index.ts'
import { type EventFormat, readChoice } from '../port/index.ts'
import { type AiSdkOptions, UiWriter } from './ui-writer.ts'

/**
 * Creates the UI message stream format, version 1, of the AI SDK, which `useChat` 6 and 7 reads. Each run is one message with the id of the
 * run.
 */
export function aiSdkFormat({
  subagents = 'data',
  rollback = 'data',
  maxSubagentBlockLength = 1_048_576,
}: AiSdkOptions = {}): EventFormat {
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

/** Creates the AI SDK format from the options of a query. */
export function createAiSdk(query: URLSearchParams): EventFormat {
  return aiSdkFormat({
    ...readChoice(query, 'subagents', ['data', 'inline', 'drop']),
    ...readChoice(query, 'rollback', ['data', 'reset-step']),
  })
}
