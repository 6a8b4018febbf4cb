import type { AwaitedCall, ContentBlock, Message, Usage } from '../events/index.ts'

/** A pause: the calls that the browser must answer, and the results that are ready to go with them. */
export interface Pause {
  readonly calls: readonly AwaitedCall[]
  /** `tool_result` blocks of this turn that are ready: backend ones first, then what the browser sent. */
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
  readonly steps: number
  readonly usage: Usage
  readonly pause?: Pause
}
