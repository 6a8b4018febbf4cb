import type { JsonObject } from 'millrace'
import type { ApiError } from '../routes/api-error.ts'
import type { Random } from '../random.ts'
import type { ScriptedReply } from '../replies/scripted-reply.ts'
import type { BlockPlan } from './block-plan.ts'
import { limitBlocks, type LimitedBlocks, type Limits } from './limit-blocks.ts'

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

/** Fields of a message besides its content, and its limits. */
interface MessageFacts extends Limits {
  readonly id: string
  readonly model: string
  readonly inputTokens: number
  /** Server tool calls of the previous message that have no result. */
  readonly unansweredCalls: readonly JsonObject[]
}

/** A complete message, ready to be sent as events or whole. */
export interface MessageScript {
  readonly id: string
  readonly model: string
  readonly plans: readonly BlockPlan[]
  readonly usage: MessageUsage
  /** The end of the message: `stop_reason` and its related fields. */
  readonly stop: JsonObject
  /** `context_management` of the last event. */
  readonly contextManagement?: JsonObject
  readonly isPrefilled: boolean
  /** The message fails instead of ending. */
  readonly error?: ApiError
}

/** Prepares a message from a scripted reply within its limits. */
export function toMessageScript(
  reply: ScriptedReply,
  facts: MessageFacts,
  random: Random,
): MessageScript {
  const limits = { ...facts, maxTokens: reply.maxTokens ?? facts.maxTokens }
  const context = { random, serverToolCalls: createServerToolCalls(facts.unansweredCalls) }
  const blocks = limitBlocks(reply.blocks, limits, context)
  const { plans, error, limit } = blocks
  const { container, context_management: contextManagement } = reply.ending ?? {}
  return {
    id: facts.id,
    model: facts.model,
    plans,
    usage: toUsage(reply, blocks, facts.inputTokens),
    stop: {
      stop_reason: limit?.stopReason ?? reply.stopReason ?? defaultReason(plans),
      stop_sequence: limit?.stopSequence ?? null,
      stop_details: limit === undefined ? (reply.stopDetails ?? null) : null,
      ...(container === undefined ? {} : { container }),
    },
    isPrefilled: reply.isPrefilled ?? false,
    ...(contextManagement === undefined ? {} : { contextManagement }),
    ...(error === undefined ? {} : { error }),
  }
}

function defaultReason(plans: readonly BlockPlan[]): string {
  return plans.some(({ start }) => start['type'] === 'tool_use') ? 'tool_use' : 'end_turn'
}

interface MessageUsage {
  readonly start: JsonObject
  readonly end: JsonObject
}

/** Counts the tokens of a message; values of the script override the counts. */
function toUsage(
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

/** Server tool calls that have no result yet. */
export type ServerToolCalls = ReturnType<typeof createServerToolCalls>

/** Creates a list of calls without a result, starting with those of the previous message. */
function createServerToolCalls(waiting: readonly JsonObject[]) {
  const calls = [...waiting]
  return {
    open: (block: JsonObject) => void calls.push(block),
    /** Removes and returns the id of the call that a result of this type answers; undefined if there is none. */
    close: (resultType: string): string | undefined => {
      const fitting = calls.findIndex((call) => resultTypeOf(call) === resultType)
      const [call] = calls.splice(Math.max(fitting, 0), 1)
      return call === undefined ? undefined : String(call['id'])
    },
  }
}

/** Both variants of tool search have results of the same type. */
function resultTypeOf({ type, name }: JsonObject): string {
  if (type === 'mcp_tool_use') return 'mcp_tool_result'
  return String(name).startsWith('tool_search_tool')
    ? 'tool_search_tool_result'
    : `${String(name)}_tool_result`
}
