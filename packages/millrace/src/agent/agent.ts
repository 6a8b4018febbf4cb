import type { AgentEvent, Prompt, ResultContent } from '../events/index.ts'
import type { AgentState } from './agent-state.ts'

/** What the browser answered to one awaited call. */
export interface FrontendResult {
  readonly toolUseId: string
  readonly content: ResultContent
  readonly isError?: boolean
}

/**
 * Says that `state` must be stored together with the messages of the event that follows. Nothing in it may change
 * afterwards: a server encodes each of its lists, messages and blocks once.
 */
export interface Checkpoint {
  readonly type: 'checkpoint'
  readonly state: AgentState
}

/** What starts or continues a run. */
export interface RunInput {
  /** Undefined for a new conversation. */
  readonly state?: AgentState
  /** The id of the conversation; ignored when `state` is given. */
  readonly agent?: string
  /** A new question; while paused it answers what is pending with results that say so. */
  readonly prompt?: Prompt
  /** Answers of the browser; only a full set continues the run. */
  readonly results?: readonly FrontendResult[]
}

/** Something that holds conversations: a model, its instructions and its tools. */
export interface Agent {
  readonly name: string
  /**
   * Runs until the end or the next pause. Yields `run_end` last, whatever happens; a checkpoint comes before
   * the event whose messages it must be stored with.
   */
  run(
    input: RunInput,
    options?: { readonly signal?: AbortSignal },
  ): AsyncIterable<AgentEvent | Checkpoint>
}
