import type { AgentEvent, Permit, Prompt, WorkSpan } from '../events/index.ts'
import type { PauseAnswers } from './port/index.ts'
import type { AgentState, Parent } from './state/index.ts'
import type { CallIds } from './calls/call-ids.ts'
import type { RunControl } from './run-control.ts'

/**
 * Says that `state` must be stored together with the messages of the event that follows. Nothing in it may change
 * afterwards: a server encodes each of its lists, messages and blocks once.
 */
export interface Checkpoint {
  readonly type: 'checkpoint'
  readonly state: AgentState
}

/** What starts or continues a run. */
export interface RunInput extends PauseAnswers {
  /** Undefined for a new conversation. */
  readonly state?: AgentState
  /** The id of the conversation; ignored when `state` is given. */
  readonly agent?: string
  /** A new question; while paused it answers what is pending with results that say so. */
  readonly prompt?: Prompt
  /**
   * Ends a run that is paused, or by its id one sub-agent that waits in it: what is pending is answered with results
   * that say so.
   */
  readonly stop?: true | string
  /** For a sub-agent: whose it is. */
  readonly parent?: Parent
}

/** What a run is tied to. */
export interface RunOptions {
  readonly signal?: AbortSignal
  /** Through which it can be stopped, steered and answered while it runs. */
  readonly control?: RunControl
  /**
   * Awaited before each model call, tool and file fetch. A server confirms there that the run is still its own; it aborts
   * the signal if not, and nothing is begun.
   */
  readonly permit?: Permit
  /** The call ids of the session that a sub-agent is part of. */
  readonly callIds?: CallIds
  /** The work that this run is a part of, for telemetry. */
  readonly span?: WorkSpan
  /** How long a request for approval can be approved, and how long an approval can start its tool; unlimited if absent. */
  readonly approvalTtlMs?: number
  /** The clock of approvals, in milliseconds since the epoch. */
  readonly now?: () => number
}

/** Something that holds conversations: a model, its instructions and its tools. */
export interface Agent {
  readonly name: string
  /** What it is good for, told to agents that may spawn it. */
  readonly description?: string
  /** The id of its model. */
  readonly model?: string
  /**
   * Runs until the end or the next pause. Yields `run_end` last, whatever happens; a checkpoint comes before
   * the event whose messages it must be stored with.
   */
  run(input: RunInput, options?: RunOptions): AsyncIterable<AgentEvent | Checkpoint>
}
