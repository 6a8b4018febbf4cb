import { isPauseReason } from '../envelope/index.ts'
import type { Cost } from './cost.ts'
import type { ContentBlock, Message, Prompt, Usage } from './message.ts'
import type { BlockCitation, BlockDelta, BlockEnd, BlockStart } from './model-event.ts'

/** What every event of an agent carries: whose it is. */
export interface OfAgent {
  /** The id of the agent that speaks; sub-agents have their own. */
  readonly agent: string
}

/** A run begins. */
export interface RunStart extends OfAgent {
  readonly type: 'run_start'
  readonly runId: string
  readonly prompt: Prompt
  /** The key that the sender of the prompt gave it. */
  readonly messageId?: string
  readonly model: string
  readonly name?: string
  readonly parentAgent?: string
  readonly parentToolUseId?: string
  /** The session, if its root agent has another id: a branch goes on with the agents of its parent. [BRANCH-4] */
  readonly session?: string
  /** The session that it was forked from, and the last frame that both share. */
  readonly forkedFrom?: { readonly session: string; readonly frame: number }
  /** The files of the prompt that are kept, by the positions of their blocks in it. */
  readonly promptFiles?: readonly PromptFile[]
  /** The conversation up to and including the prompt, written only for readers who asked for history. */
  readonly messages: readonly Message[]
}

/** A file of a prompt that can be fetched. */
export interface PromptFile {
  /** The position of its block in the prompt. */
  readonly block: number
  readonly fileId: string
  readonly filename?: string
}

/** An image inside a tool result; `src` is a URL, or a data URI that the server stores by reference. */
export interface ResultImage {
  readonly src: string
  readonly mediaType: string
}

/** A tool has answered. */
export interface ToolResult extends OfAgent {
  readonly type: 'tool_result'
  readonly id: string
  readonly name: string
  readonly text: string
  readonly images: readonly ResultImage[]
  readonly isError: boolean
}

/** A call of the model that has no result yet. */
export interface AwaitedCall {
  readonly id: string
  readonly name: string
  /** The arguments as the model wrote them. */
  readonly inputText: string
  /** The request for approval, once one was made. */
  readonly request?: ApprovalRequest
}

/** A request for approval of a call. Times are milliseconds since the epoch. */
export interface ApprovalRequest {
  readonly askedAt: number
  /** From this time on the call can no longer be approved; absent if the request does not expire. */
  readonly expiresAt?: number
  /** The hash of the arguments; absent if they have no canonical form. [APR-1] */
  readonly inputHash?: string
}

/** The run pauses until the browser has answered these calls. */
export interface ToolsAwaited extends OfAgent {
  readonly type: 'tools_awaited'
  readonly calls: readonly AwaitedCall[]
}

/** The run pauses until a person has decided on these calls. */
export interface ApprovalsAwaited extends OfAgent {
  readonly type: 'approvals_awaited'
  readonly calls: readonly AwaitedCall[]
}

/** Where a call stands between the model's asking and its result. */
export type ToolStage =
  | 'approval_requested'
  | 'approved'
  | 'refused'
  | 'expired'
  | 'answered'
  | 'started'
  | 'progress'
  | 'succeeded'
  | 'failed'

/** A call has come to another stage. */
export interface ToolStatus extends OfAgent {
  readonly type: 'tool_status'
  readonly id: string
  readonly name: string
  readonly stage: ToolStage
  /** How far the tool is, why a person refused, or which arguments they approved instead. */
  readonly detail?: string
  /** The decision behind the stages `approved`, `refused` and `expired`. */
  readonly decision?: DecisionRecord
}

/** Who decided on a call, when, and on what. */
export interface DecisionRecord {
  /** The principal of the request; null if the server knows none, or if nobody decided in time. */
  readonly by: string | null
  /** Milliseconds since the epoch, by the clock of the server that took the decision. */
  readonly at: number
  /** The hash of the arguments on which it was decided. [APR-1] */
  readonly inputHash?: string
  /** Whether the call was approved with other arguments than the model's. */
  readonly isEdited: boolean
}

/** A person has written to a run under way. */
export interface Steered extends OfAgent {
  readonly type: 'steered'
  readonly prompt: Prompt
  /** The key that the sender of the message gave it. */
  readonly messageId?: string
}

/** The states of a prompt that waits for the end of a run, or does so no more without having begun. */
export type QueueState = 'queued' | 'withdrawn' | 'void'

/** A prompt waits for the end of a run, or has left the queue without having begun. */
export interface PromptQueued extends OfAgent {
  readonly type: 'prompt_queued'
  readonly messageId: string
  readonly state: QueueState
  /** The beginning of its text, or the reason for which it cannot begin. */
  readonly text: string
}

/** What the model is sent from now on is shorter than what was said. */
export interface Compacted extends OfAgent {
  readonly type: 'compacted'
  readonly strategy: string
  readonly tokensBefore: number
  readonly tokensAfter: number
}

/** The model's part of a step is over. */
export interface StepEnd extends OfAgent {
  readonly type: 'step_end'
  readonly step: number
  readonly stopReason: string
  readonly usage: Usage
  /** Null if the price of the model is not known; absent where nobody works it out. */
  readonly cost?: Cost | null
}

/** What the step has shown so far is void; it is tried again. */
export interface StepRollback extends OfAgent {
  readonly type: 'step_rollback'
  readonly step: number
  readonly attempt: number
  readonly reason: string
}

/** A file that the run has made. */
export interface MadeFile {
  readonly fileId: string
  readonly filename: string
  readonly storageLocation: string
}

/** Files are ready. */
export interface FilesReady extends OfAgent {
  readonly type: 'files_ready'
  readonly files: readonly MadeFile[]
}

/** The run failed. */
export interface RunError extends OfAgent {
  readonly type: 'run_error'
  readonly error: {
    readonly type: string
    readonly message: string
    readonly code: string
    readonly retriable: boolean
    /** The provider's own text without its secrets, for the server's log; it is on no wire. */
    readonly original?: string
  }
}

/** The run ended, or paused with a {@link isPauseReason}. */
export interface RunEnd extends OfAgent {
  readonly type: 'run_end'
  readonly stopReason: string
  readonly steps: number
  /** With what its sub-agents used. */
  readonly usage: Usage
  /** With what its sub-agents cost; null if a part of it has no known price, absent where nobody works it out. */
  readonly cost?: Cost | null
  /** The messages of this run, from the prompt on. */
  readonly messages: readonly Message[]
  /** The whole conversation, written only for readers who asked for history; `messages` if absent. */
  readonly history?: readonly Message[]
  /** The files that the run and its sub-agents made. */
  readonly files: readonly MadeFile[]
}

/** What an agent does, in the order in which it does it. */
export type AgentEvent =
  | RunStart
  | (BlockStart & OfAgent)
  | (BlockDelta & OfAgent)
  | (BlockCitation & OfAgent)
  | (BlockEnd & OfAgent)
  | ToolResult
  | ToolsAwaited
  | ApprovalsAwaited
  | ToolStatus
  | Steered
  | PromptQueued
  | Compacted
  | StepEnd
  | StepRollback
  | FilesReady
  | RunError
  | RunEnd

/** The content of a tool result as it goes to a model. */
export type ResultContent = string | readonly ContentBlock[]

const failureReasons: ReadonlySet<string> = new Set(['error', 'aborted'])

/** Tells whether a run that ended for this reason completed: it did not fail, was not stopped and does not wait. */
export function isCompletion(stopReason: string): boolean {
  return !isPauseReason(stopReason) && !failureReasons.has(stopReason)
}
