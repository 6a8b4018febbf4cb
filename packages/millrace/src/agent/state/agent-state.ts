import type {
  AgentEvent,
  AwaitedCall,
  ContentBlock,
  Cost,
  MadeFile,
  Message,
  Usage,
} from '../../events/index.ts'

/** The outcome of a request for approval. Times are milliseconds since the epoch. */
export interface Decision {
  /** `expired` if nobody approved the call in time. */
  readonly outcome: 'approved' | 'refused' | 'expired'
  /** The arguments that were approved, if not the model's own. */
  readonly inputText?: string
  readonly reason?: string
  /** The principal who decided; null if none is known. Absent, as `at`, in states of older versions. */
  readonly by?: string | null
  readonly at?: number
  /** The hash of the model's arguments, on which it was decided. [APR-1] */
  readonly inputHash?: string
  /** From this time on the approval starts no tool. */
  readonly expiresAt?: number
  /** Set on an approval that expired before its tool started. */
  readonly isVoid?: true
}

/** The calls of the last message, from its end until the model is given all of their results. */
export interface OpenTurn {
  readonly calls: readonly AwaitedCall[]
  /** `tool_result` blocks that are ready and told, in the order in which they came. */
  readonly results: readonly ContentBlock[]
  /** `tool_result` blocks of the browser that have come and are not told yet. */
  readonly answers?: readonly ContentBlock[]
  /** Decisions by the ids of their calls. */
  readonly decisions?: Readonly<Record<string, Decision>>
  /** The calls on which people were asked to decide. */
  readonly asked?: readonly string[]
  /** The calls whose decision was told. */
  readonly decided?: readonly string[]
  /** The calls of the browser whose answer was told while others were awaited. */
  readonly answered?: readonly string[]
  /** The calls for which the browser was asked. */
  readonly announced?: readonly string[]
  /** The sub-agents that calls have spawned, by the ids of these calls. */
  readonly spawned?: Readonly<Record<string, string>>
}

/** What a run that has paused waits for; nothing of its own where only sub-agents wait. */
export interface Pause {
  /** Calls that the browser must answer. */
  readonly calls: readonly AwaitedCall[]
  /** Calls on which a person must decide. */
  readonly approvals: readonly AwaitedCall[]
}

/** A result that was too long for the model, kept for it to read on in. */
export interface StoredResult {
  readonly toolUseId: string
  readonly text: string
  /** How long the result was, if only its beginning is kept. */
  readonly fullLength?: number
}

/** What stands for the beginning of a conversation. */
export interface CompactedContext {
  readonly messages: readonly Message[]
  /** How many messages of the conversation it stands for. */
  readonly covers: number
  /** How many blocks of the last of these, to which more may have been added since. */
  readonly coversBlocks: number
}

/** What a run has used, cost and made, including the sub-agents that worked for it. */
export interface RunTotals {
  readonly usage: Usage
  /** Null if that is not known. */
  readonly cost: Cost | null
  readonly files: readonly MadeFile[]
}

/** Totals as they are stored; those of older versions have no files. */
export type StoredTotals = Omit<RunTotals, 'files'> & Partial<Pick<RunTotals, 'files'>>

/** Whose agent a sub-agent is. */
export interface Parent {
  readonly agent: string
  readonly toolUseId: string
  /** The parent's run that it works for. */
  readonly runId: string
  /** How many agents are above it. */
  readonly depth: number
}

/**
 * All that an agent must remember, as a plain JSON value: a run can be continued from it in another process.
 */
export interface AgentState {
  /** The agent's own id, which is the session's id for the root. */
  readonly agent: string
  /** The name that it was created with. */
  readonly name: string
  readonly parent?: Parent
  readonly messages: readonly Message[]
  /** The run under way, or the last one. */
  readonly runId: string
  /** Where in `messages` that run began. */
  readonly runStart: number
  /** Where in `files` that run began; absent in states stored before it was kept. */
  readonly fileStart?: number
  /** What the model is sent in place of the first messages, since they became too long. */
  readonly context?: CompactedContext
  /** Model calls of this run that came to their end. */
  readonly steps: number
  /** Tokens of this run, failed attempts included, those of sub-agents not. */
  readonly usage: Usage
  /** What they cost; null if that is not known. */
  readonly cost: Cost | null
  /** Of a sub-agent: what its earlier runs for the same run of its parent have spent and made. */
  readonly earlier?: StoredTotals
  /** How much of its context the model last said to be filled. */
  readonly contextTokens?: number
  /** How often the final answer of this run was sent back. */
  readonly checks?: number
  /** Why the model ended its last message. */
  readonly stopReason?: string
  readonly turn?: OpenTurn
  /** Never without `turn`. */
  readonly pause?: Pause
  /** How the run has ended or paused, as soon as that is told; absent while it is under way. */
  readonly ended?: string
  /** What has happened and is still to be told, of this agent and of those beneath it. */
  readonly untold?: readonly AgentEvent[]
  /** Decisions of earlier turns, so that the same one again is known. */
  readonly decisions?: Readonly<Record<string, Decision>>
  /** Sub-agents by id, those that were asked last at the end; also those that have ended: they can be resumed. */
  readonly children?: Readonly<Record<string, AgentState>>
  /** How many sub-agents were spawned, which numbers the next one. */
  readonly spawns?: number
  /** Ids of calls in no message of this state: calls that were cut, and those of sub-agents that are forgotten. [CALL-1] */
  readonly unlistedCalls?: readonly string[]
  /** Ids of calls of this agent that were rolled back; only this agent may take them again. */
  readonly voidCalls?: readonly string[]
  readonly kept?: readonly StoredResult[]
  /** The provider's container that the conversation has worked in. */
  readonly container?: string
  /** Files that the provider made in this conversation. */
  readonly files?: readonly MadeFile[]
}
