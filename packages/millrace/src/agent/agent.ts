import type { AgentEvent, Prompt, WorkSpan } from '../events/index.ts'
import type { PauseAnswers, AgentRunOptions } from './port/index.ts'
import type { AgentState, Parent } from './state/index.ts'
import type { CallIds } from './calls/call-ids.ts'
import type { RunControl } from './run-control.ts'

/**
 * A state to store together with the messages of the next event. Nothing in it may change afterwards: a server encodes each of its lists,
 * messages and blocks once.
 */
export interface Checkpoint {
  readonly type: 'checkpoint'
  readonly state: AgentState
}

/** The input that starts or continues a run. */
export interface RunInput extends PauseAnswers {
  /** Undefined for a new conversation. */
  readonly state?: AgentState
  /** The id of the conversation; ignored when `state` is given. */
  readonly agent?: string
  /** A new user message. In a pause, pending calls get an error result that names the reason. */
  readonly prompt?: Prompt
  /** Ends a paused run, or one waiting sub-agent by its id. Pending calls get an error result that names the reason. */
  readonly stop?: true | string
  /** The parent of a sub-agent. */
  readonly parent?: Parent
}

/** Options of a run. */
export interface RunOptions extends AgentRunOptions {
  /** Stops, steers and answers the run while it is active. */
  readonly control?: RunControl
  /** The call ids of the session that contains this sub-agent. */
  readonly callIds?: CallIds
  /** The parent span of this run, for telemetry. */
  readonly span?: WorkSpan
}

/** An agent that other agents can spawn. Its states become part of theirs. */
export interface Subagent {
  readonly name: string
  /** Description shown to parent agents. */
  readonly description?: string
  /** The id of its model. */
  readonly model?: string
  /** Runs until the end or the next pause. Emits `run_end` last; a checkpoint comes before the event that belongs to it. */
  run(input: RunInput, options?: RunOptions): AsyncIterable<AgentEvent | Checkpoint>
}
