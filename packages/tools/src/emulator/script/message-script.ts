import type { JsonObject } from 'millrace'
import type { ApiError } from '../routes/api-error.ts'
import type { Random } from '../random.ts'
import type { ScriptedReply } from '../replies/scripted-reply.ts'
import type { BlockPlan } from './block-plan.ts'
import { limitBlocks, type Limits } from './limit-blocks.ts'
import { type MessageUsage, toUsage } from './message-usage.ts'
import { createServerToolCalls } from './server-tool-calls.ts'

/** Fields of a message besides its content, and its limits. */
export interface MessageFacts extends Limits {
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
