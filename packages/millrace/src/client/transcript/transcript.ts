import type { JsonObject } from '../../json/index.ts'
import type { ReducerState } from './reduce/draft.ts'
import type { Block } from './block.ts'
import type { Sequence } from './sequence.ts'

/** The status of a conversation for display. */
export type TranscriptStatus =
  | 'idle'
  | 'streaming'
  | 'awaiting_tools'
  | 'complete'
  | 'error'
  | 'aborted'

/** A call that waits for the browser. */
export interface PendingTool {
  readonly agent: string
  readonly callId: string
  readonly name: string
  readonly input: unknown
  /** Whether the call waits for approval, not for a result. */
  readonly approval?: boolean
  /** The hash of its arguments, if it waits for approval. [APR-1] */
  readonly inputHash?: string
  /** The time of the approval request and its expiry, in ISO 8601. [APR-4] */
  readonly askedAt?: string
  readonly expiresAt?: string
}

/** The public error of a failed run. */
export interface TranscriptError {
  readonly type: string
  readonly message: string
  readonly code: string
  readonly retriable: boolean
}

/** One prompt to an agent and the blocks that answer it. */
export interface RunMark {
  readonly runId: string | undefined
  readonly prompt: string
  /** The key that the sender chose for the prompt. */
  readonly messageId: string | undefined
  readonly model: string | undefined
  /** The position of the run's first block. */
  readonly firstBlock: number
  /** The content of `meta_end`, once the run has ended or paused. */
  readonly end: JsonObject | undefined
}

/** The end of one model call of a run. */
export interface StepMark {
  /** The position after the step's last block. */
  readonly afterBlock: number
  /** The content of `meta_step`: number, stop reason, usage, cost. */
  readonly info: JsonObject
}

/** One agent: the root, or a sub-agent under the call that spawned it. */
export interface AgentNode {
  readonly id: string
  readonly name: string | undefined
  readonly parent: string | null
  readonly parentToolUseId: string | undefined
  /** The latest `meta_init` of this agent. */
  readonly meta: JsonObject | undefined
  /** The joined content of `meta_end` and `meta_final` of the latest run. */
  readonly summary: JsonObject | undefined
  readonly blocks: Sequence<Block>
  readonly runs: Sequence<RunMark>
  readonly steps: Sequence<StepMark>
  /** State of the reducer; not part of the contract. */
  readonly reducer: ReducerState
}

/** A prompt that is queued until the end of a run. */
export interface QueuedPrompt {
  readonly messageId: string
  /** The beginning of its text. */
  readonly text: string
  /** The id of the frame that queued it; 0 if unknown. */
  readonly id: number
}

/** The content of a stream as an immutable value that shares unchanged parts. */
export interface Transcript {
  readonly status: TranscriptStatus
  /** The id of the last applied frame; resume after it. [LOG-2] */
  readonly lastId: number
  /** The last applied id before a gap; resume there. [LOG-3] */
  readonly gapAfter: number | undefined
  /** The agents in order of appearance; the first is the root. */
  readonly agents: Sequence<AgentNode>
  readonly pending: readonly PendingTool[]
  /** The queued prompts in order of arrival. */
  readonly queue: readonly QueuedPrompt[]
  /** The last frame that a branch shares with its parent, if known: prompts queued up to there are not queued here. [CMD-5] */
  readonly forkedAfter: number | undefined
  readonly files: readonly JsonObject[]
  readonly error: TranscriptError | undefined
}
