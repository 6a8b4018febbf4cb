/** The types of events that are sent about runs. */
export const runEventTypes = ['run.completed', 'run.failed', 'run.waiting'] as const

/** The type of an event about a run. */
export type RunEventType = (typeof runEventTypes)[number]

/** The tokens that a run has used, with those of its sub-agents. */
export interface RunUsage {
  readonly input_tokens: number
  readonly output_tokens: number
  readonly cache_creation_input_tokens?: number
  readonly cache_read_input_tokens?: number
}

/** The cost of a run, with that of its sub-agents. */
export interface RunCost {
  readonly total_cost: number
  readonly currency: string
}

/** A call that waits for a browser (`result`) or for a person's decision (`approval`). */
export interface WaitingCall {
  readonly tool_use_id: string
  readonly name: string
  /** The agent that made the call: the session itself, or a sub-agent. */
  readonly agent: string
  readonly kind: 'result' | 'approval'
}

/** The part that all events about runs have in common. */
export interface RunEventData {
  /** The id of the session. */
  readonly agent_uuid: string
  readonly agent_type: string
  /** Counts the runs of the session from 1. */
  readonly run: number
  readonly run_id: string | null
  readonly stop_reason: string
  readonly total_steps: number
  readonly usage: RunUsage
  /** null if it is not known. */
  readonly cost: RunCost | null
  /** The beginning of the agent's last answer, at most 2,000 characters. */
  readonly final_response: string
  /** Whether the answer is longer. */
  readonly is_truncated: boolean
}

/** The error of a run, as its stream reports it. */
export interface RunEventError {
  readonly type: string
  readonly message: string
  readonly code: string
  readonly retriable: boolean
}

interface EventOf<Type extends RunEventType, Data> {
  /** Stays the same when the event is delivered again. */
  readonly id: string
  readonly type: Type
  /** When the run ended or paused, in ISO 8601. */
  readonly timestamp: string
  readonly data: Data
}

/** A run ended by itself. */
export type RunCompletedEvent = EventOf<'run.completed', RunEventData>

/** A run ended with an error, or was stopped (`stop_reason` is `aborted`, mostly without an error). */
export type RunFailedEvent = EventOf<
  'run.failed',
  RunEventData & { readonly error?: RunEventError }
>

/** A run paused until its pending calls are answered. */
export type RunWaitingEvent = EventOf<
  'run.waiting',
  RunEventData & {
    /** The first 20 calls that wait. */
    readonly pending: readonly WaitingCall[]
    /** How many calls wait in all. */
    readonly total_pending: number
  }
>

/** An event about a run, as `onEvent` is given it and as the body of a webhook holds it. */
export type RunEvent = RunCompletedEvent | RunFailedEvent | RunWaitingEvent
