import type {
  AgentEvent,
  AnnouncedCall,
  ContentBlock,
  ConversationDigest,
  Cost,
  GeneratedFile,
  Message,
  Usage,
} from '../../events/index.ts'
import type { JsonValue } from '../../json/index.ts'

/** The decision on an approval request. Times are milliseconds since the epoch. */
export interface Decision {
  /** `expired` without an approval in time. */
  readonly outcome: 'approved' | 'refused' | 'expired'
  /** The arguments that were approved, if not the model's own. */
  readonly inputText?: string
  readonly reason?: string
  /** The user who decided; null if unknown. Absent, as `at`, in states of older versions. */
  readonly by?: string | null
  readonly at?: number
  /** The hash of the model's arguments that was decided on. [APR-1] */
  readonly inputHash?: string
  /** The time from which the approval starts no tool. */
  readonly expiresAt?: number
  /** Set on an approval that expired before its tool started. */
  readonly isVoid?: true
}

/** The calls of the last message, from its end until the model gets all of their results. */
export interface OpenTurn {
  readonly calls: readonly AnnouncedCall[]
  /** `tool_result` blocks that were emitted, in that order. */
  readonly results: readonly ContentBlock[]
  /** `tool_result` blocks of the browser that were not emitted yet. */
  readonly answers?: readonly ContentBlock[]
  /** Decisions by the ids of their calls. */
  readonly decisions?: Readonly<Record<string, Decision>>
  /** The calls whose approval was requested. */
  readonly asked?: readonly string[]
  /** The calls whose decision was emitted. */
  readonly decided?: readonly string[]
  /** The frontend calls whose answer was emitted while others were pending. */
  readonly answered?: readonly string[]
  /** The calls that were sent to the browser. */
  readonly announced?: readonly string[]
  /** The ids of spawned sub-agents by those of their calls. */
  readonly spawned?: Readonly<Record<string, string>>
}

/** The pending calls of a paused run; empty if only sub-agents wait. */
export interface Pause {
  /** Calls that the browser must answer. */
  readonly calls: readonly AnnouncedCall[]
  /** Calls that a user must decide on. */
  readonly approvals: readonly AnnouncedCall[]
}

/** A result that was too long for the model, stored for `read_result`. */
export interface StoredResult {
  readonly toolUseId: string
  readonly text: string
  /** The length of the whole result, if only its beginning is stored. */
  readonly fullLength?: number
}

/** The replacement of the beginning of a conversation. */
export interface CompactedContext {
  readonly messages: readonly Message[]
  /** Number of messages that it replaces. */
  readonly covers: number
  /** Number of replaced blocks in the last of these messages, which may have grown since. */
  readonly coversBlocks: number
}

/** The first messages of a conversation where they were not read, because the model does not get them any more. */
export interface SkippedMessages {
  readonly count: number
  /** The ids of their calls. [CALL-1] */
  readonly calls: readonly string[]
  readonly digest: ConversationDigest
}

/** Usage, cost and files of a run and its sub-agents. */
export interface RunTotals {
  readonly usage: Usage
  /** Null if unknown. */
  readonly cost: Cost | null
  readonly files: readonly GeneratedFile[]
}

/** Stored totals; those of older versions have no files. */
export type StoredTotals = Omit<RunTotals, 'files'> & Partial<Pick<RunTotals, 'files'>>

/** The parent of a sub-agent. */
export interface Parent {
  readonly agent: string
  readonly toolUseId: string
  /** The run of the parent that it works for. */
  readonly runId: string
  /** Number of agents above it. */
  readonly depth: number
}

/** The progress of a process elsewhere that produces the events of a run. [PROD-2] */
export interface Produced {
  /** Counts the producers of the session; 0 before the first. */
  readonly epoch: number
  /** The request that opened the current run for the producer; absent before that. */
  readonly opening?: string
  /** Number of events of the run that were taken. */
  readonly next: number
  /** Number of messages to the run that were passed on. */
  readonly steers: number
  /** The ids on the wire of open calls, by those of the producer, where they differ. */
  readonly ids?: Readonly<Record<string, string>>
}

/** The complete state of an agent as plain JSON: another process can continue a run from it. */
export interface AgentState {
  /** The id of the agent, which is the session id for the root. */
  readonly agent: string
  /** The name from the options of the agent. */
  readonly name: string
  readonly parent?: Parent
  /** The messages after those of `skipped`. */
  readonly messages: readonly Message[]
  /** Absent if `messages` has the whole conversation. Other numbers of messages include them. */
  readonly skipped?: SkippedMessages
  /** The current run, or the last one. */
  readonly runId: string
  /** The index of the message with which the run began. */
  readonly runStart: number
  /** The index in `files` where the run began; absent in states of older versions. */
  readonly fileStart?: number
  /** The replacement of the first messages, once they became too long. */
  readonly context?: CompactedContext
  /** Number of completed model calls in this run. */
  readonly steps: number
  /** Tokens of this run including failed attempts, without sub-agents. */
  readonly usage: Usage
  /** Their cost; null if unknown. */
  readonly cost: Cost | null
  /** Of a sub-agent: the totals of its earlier runs for the same run of its parent. */
  readonly earlier?: StoredTotals
  /** Size of the context in tokens, as the model last reported it. */
  readonly contextTokens?: number
  /** Number of rejected final answers in this run. */
  readonly checks?: number
  /** The stop reason of the last message. */
  readonly stopReason?: string
  readonly turn?: OpenTurn
  /** Never without `turn`. */
  readonly pause?: Pause
  /** The stop reason of the run or pause, stored with its event; absent while the run is active. */
  readonly ended?: string
  /** Events that were not sent yet, of this agent and those beneath it. */
  readonly unsent?: readonly AgentEvent[]
  /** Decisions of earlier open turns, to recognize repeated ones. */
  readonly decisions?: Readonly<Record<string, Decision>>
  /** Sub-agents by id, the most recently used last, including ended ones, which can be resumed. */
  readonly children?: Readonly<Record<string, AgentState>>
  /** Number of spawned sub-agents, from which the next one is numbered. */
  readonly spawns?: number
  /** Ids of calls in no message of this state: interrupted calls, and those of dropped sub-agents. [CALL-1] */
  readonly unlistedCalls?: readonly string[]
  /** Ids of calls of this agent that were rolled back; only this agent may take them again. */
  readonly voidCalls?: readonly string[]
  readonly kept?: readonly StoredResult[]
  /** The provider's container that the conversation used. */
  readonly container?: string
  /** Files that the provider generated in this conversation. */
  readonly files?: readonly GeneratedFile[]
  /** The conversation in the form of a loop of another library, as JSON that only its adapter reads. */
  readonly memory?: readonly JsonValue[]
  /** Number of messages that `memory` stands for. */
  readonly remembered?: number
  /** The progress of the producer; `memory` then has its events since the last settled step. */
  readonly produced?: Produced
}
