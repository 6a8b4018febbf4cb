import type { AgentEvent, Prompt, WorkSpan } from '../events/index.ts'
import type { PauseAnswers, RunTies } from './port/index.ts'
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
export interface RunOptions extends RunTies {
  /** Through which it can be stopped, steered and answered while it runs. */
  readonly control?: RunControl
  /** The call ids of the session that a sub-agent is part of. */
  readonly callIds?: CallIds
  /** The work that this run is a part of, for telemetry. */
  readonly span?: WorkSpan
}

/** An agent that others may spawn. Its states become part of theirs. */
export interface Subagent {
  readonly name: string
  /** Description shown to parent agents. */
  readonly description?: string
  /** The id of its model. */
  readonly model?: string
  /**
   * Runs until the end or the next pause. Emits `run_end` last; a checkpoint comes before the event that belongs to it.
   */
  run(input: RunInput, options?: RunOptions): AsyncIterable<AgentEvent | Checkpoint>
}
