import type { AwaitedCall, ContentBlock, Message, Usage } from '../events/index.ts'

/** A pause: the calls that the browser must answer, and the results that are ready to go with them. */
export interface Pause {
  readonly calls: readonly AwaitedCall[]
  /** `tool_result` blocks of this turn that are ready: backend ones first, then what the browser sent. */
  readonly results: readonly ContentBlock[]
  /** How many of the browser's answers the stream has told, in the order of `calls`. */
  readonly shown?: number
}

/** The calls of the last message, from its end until the model is given all of their results. */
export interface OpenTurn {
  readonly calls: readonly AwaitedCall[]
  /** `tool_result` blocks that are ready and told, in the order in which they came. */
  readonly results: readonly ContentBlock[]
}

/**
 * All that an agent must remember, as a plain JSON value: a run can be continued from it in another process.
 */
export interface AgentState {
  /** The agent's own id, which is the session's id for the root. */
  readonly agent: string
  readonly messages: readonly Message[]
  /** The run under way, or the last one. */
  readonly runId: string
  /** Where in `messages` that run began. */
  readonly runStart: number
  /** Model calls of this run that came to their end. */
  readonly steps: number
  /** Tokens of this run, failed attempts included. */
  readonly usage: Usage
  /** Why the model ended its last message. */
  readonly stopReason?: string
  /** Never together with `pause`. */
  readonly turn?: OpenTurn
  readonly pause?: Pause
}
