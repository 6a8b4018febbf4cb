import type { JsonValue } from '../json/index.ts'

/** Types of events about runs. */
export const runEventTypes = ['run.completed', 'run.failed', 'run.waiting'] as const

/** The type of an event about a run. */
export type RunEventType = (typeof runEventTypes)[number]

/** Tokens of a run and its sub-agents. */
export interface RunUsage {
  readonly input_tokens: number
  readonly output_tokens: number
  readonly cache_creation_input_tokens?: number
  readonly cache_read_input_tokens?: number
}

/** Cost of a run and its sub-agents. */
export interface RunCost {
  readonly total_cost: number
  readonly currency: string
}

/** A call that is pending for a browser (`result`) or a decision (`approval`). */
export interface WaitingCall {
  readonly tool_use_id: string
  readonly name: string
  /** The agent that made the call: the session itself, or a sub-agent. */
  readonly agent: string
  readonly kind: 'result' | 'approval'
}

/** Data of all events about runs. */
export interface RunEventData {
  /** The id of the session. */
  readonly agent_uuid: string
  readonly agent_type: string
  /** Number of the run in the session, from 1. */
  readonly run: number
  readonly run_id: string | null
  readonly stop_reason: string
  readonly total_steps: number
  readonly usage: RunUsage
  /** null if it is unknown. */
  readonly cost: RunCost | null
  /** The beginning of the agent's last answer, at most 2,000 characters. */
  readonly final_response: string
  /** Whether the answer is longer. */
  readonly is_truncated: boolean
  /** The context of the request that started the run; absent if the server has none. */
  readonly context?: JsonValue
}

/** The error of a run, as its stream reports it. */
export interface RunEventError {
  readonly type: string
  readonly message: string
  readonly code: string
  readonly retriable: boolean
}

interface EventOf<Type extends RunEventType, Data> {
  /** Identical for every delivery of the event. */
  readonly id: string
  readonly type: Type
  /** Time when the run ended or paused, in ISO 8601. */
  readonly timestamp: string
  readonly data: Data
}

/** A run that ended normally. */
export type RunCompletedEvent = EventOf<'run.completed', RunEventData>

/** A run that ended with an error, or was stopped (`stop_reason` is `aborted`, mostly without an error). */
export type RunFailedEvent = EventOf<
  'run.failed',
  RunEventData & { readonly error?: RunEventError }
>

/** A run that paused until its pending calls are answered. */
export type RunWaitingEvent = EventOf<
  'run.waiting',
  RunEventData & {
    /** The first 20 pending calls. */
    readonly pending: readonly WaitingCall[]
    /** Number of all pending calls. */
    readonly total_pending: number
  }
>

/** An event about a run, as passed to `onEvent` and as the body of a webhook. */
export type RunEvent = RunCompletedEvent | RunFailedEvent | RunWaitingEvent
