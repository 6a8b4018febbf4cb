import type { JsonObject } from 'millrace'
import type { ScriptedReply } from '../replies/scripted-reply.ts'
import type { LimitedBlocks } from './limit-blocks.ts'

/** Fields that the API sends only at the start, and only at the end; all others are sent at both. */
const startFields = new Set(['cache_creation', 'service_tier', 'inference_geo', 'speed'])
const endFields = new Set([
  'output_tokens',
  'output_tokens_details',
  'server_tool_use',
  'iterations',
  'fallback_credit',
])

/** Server tools that are counted, and their usage fields. */
const countedTools = { web_search: 'web_search_requests', web_fetch: 'web_fetch_requests' }

/** Usage of a message at its start and at its end. */
export interface MessageUsage {
  readonly start: JsonObject
  readonly end: JsonObject
}

/** Counts the tokens of a message; values of the script override the counts. */
export function toUsage(
  { usage = {}, startUsage = {} }: ScriptedReply,
  blocks: LimitedBlocks,
  inputTokens: number,
): MessageUsage {
  const input = {
    input_tokens: inputTokens,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
  }
  return {
    start: {
      ...input,
      cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
      output_tokens: 1,
      service_tier: 'standard',
      inference_geo: 'not_available',
      ...without(usage, endFields),
      ...startUsage,
    },
    end: {
      ...input,
      output_tokens: blocks.outputTokens,
      ...countThinking(blocks),
      ...countTools(blocks),
      ...without(usage, startFields),
    },
  }
}

function countThinking({ thinkingTokens }: LimitedBlocks): JsonObject {
  if (thinkingTokens === 0) return {}
  return { output_tokens_details: { thinking_tokens: thinkingTokens } }
}

function countTools({ plans }: LimitedBlocks): JsonObject {
  const names = plans
    .filter(({ start }) => start['type'] === 'server_tool_use')
    .map(({ start }) => start['name'])
  const counts = Object.entries(countedTools).map(
    ([tool, field]) => [field, names.filter((name) => name === tool).length] as const,
  )
  if (counts.every(([, count]) => count === 0)) return {}
  return { server_tool_use: Object.fromEntries(counts) }
}

function without(usage: JsonObject, fields: ReadonlySet<string>): JsonObject {
  return Object.fromEntries(Object.entries(usage).filter(([field]) => !fields.has(field)))
}
