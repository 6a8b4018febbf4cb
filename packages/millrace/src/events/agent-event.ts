import { isPauseReason } from '../envelope/index.ts'
import type { Cost } from './cost.ts'
import type { ContentBlock, Message, Prompt, Usage } from './message.ts'
import type { BlockCitation, BlockDelta, BlockEnd, BlockStart } from './model-event.ts'

/** Fields of every agent event. */
export interface OfAgent {
  /** The id of the agent; sub-agents have their own. */
  readonly agent: string
}

/** A run starts. */
export interface RunStart extends OfAgent {
  readonly type: 'run_start'
  readonly runId: string
  readonly prompt: Prompt
  /** The key that the sender assigned to the prompt. */
  readonly messageId?: string
  readonly model: string
  readonly name?: string
  readonly parentAgent?: string
  readonly parentToolUseId?: string
  /** The session, if its root agent has another id: a branch continues with the agents of its parent. [BRANCH-4] */
  readonly session?: string
  /** The parent session of a fork, and the last frame that both share. */
  readonly forkedFrom?: { readonly session: string; readonly frame: number }
  /** The stored files of the prompt, by block index. */
  readonly promptFiles?: readonly PromptFile[]
  /** The conversation up to and including the prompt; written only for readers that request history. */
  readonly messages: readonly Message[]
}

/** A stored file of a prompt. */
export interface PromptFile {
  /** Index of the block in the prompt. */
  readonly block: number
  readonly fileId: string
  readonly filename?: string
}

/** An image in a tool result; `src` is a URL, or a data URI that the server stores by reference. */
export interface ResultImage {
  readonly src: string
  readonly mediaType: string
}

/** A tool has returned a result. */
export interface ToolResult extends OfAgent {
  readonly type: 'tool_result'
  readonly id: string
  readonly name: string
  readonly text: string
  readonly images: readonly ResultImage[]
  readonly isError: boolean
}

/** A call without a result so far. */
export interface AwaitedCall {
  readonly id: string
  readonly name: string
  /** The arguments as the model wrote them. */
  readonly inputText: string
  /** The request for approval, if there is one. */
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

/** The run pauses until the browser answers these calls. */
export interface ToolsAwaited extends OfAgent {
  readonly type: 'tools_awaited'
  readonly calls: readonly AwaitedCall[]
}

/** The run pauses until a person decides on these calls. */
export interface ApprovalsAwaited extends OfAgent {
  readonly type: 'approvals_awaited'
  readonly calls: readonly AwaitedCall[]
}

/** The stage of a call between its request and its result. */
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

/** A call has reached another stage. */
export interface ToolStatus extends OfAgent {
  readonly type: 'tool_status'
  readonly id: string
  readonly name: string
  readonly stage: ToolStage
  /** The progress of the tool, the reason of a denial, or the edited arguments. */
  readonly detail?: string
  /** The decision behind the stages `approved`, `refused` and `expired`. */
  readonly decision?: DecisionRecord
}

/** A decision on a call: its author, time and subject. */
export interface DecisionRecord {
  /** The principal of the request; null if the server has none, or if the request expired. */
  readonly by: string | null
  /** Milliseconds since the epoch, by the clock of the server that received the decision. */
  readonly at: number
  /** The hash of the arguments that were decided on. [APR-1] */
  readonly inputHash?: string
  /** Whether the call was approved with edited arguments. */
  readonly isEdited: boolean
}

/** A person sent a message to an active run. */
export interface Steered extends OfAgent {
  readonly type: 'steered'
  readonly prompt: Prompt
  /** The key that the sender assigned to the message. */
  readonly messageId?: string
}

/** States of a prompt that is queued behind a run, or left the queue without starting. */
export type QueueState = 'queued' | 'withdrawn' | 'void'

/** A prompt was queued behind a run, or left the queue without starting. */
export interface PromptQueued extends OfAgent {
  readonly type: 'prompt_queued'
  readonly messageId: string
  readonly state: QueueState
  /** The beginning of its text, or the reason why it cannot start. */
  readonly text: string
}

/** The conversation sent to the model was shortened. */
export interface Compacted extends OfAgent {
  readonly type: 'compacted'
  readonly strategy: string
  readonly tokensBefore: number
  readonly tokensAfter: number
}

/** The model's part of a step has ended. */
export interface StepEnd extends OfAgent {
  readonly type: 'step_end'
  readonly step: number
  readonly stopReason: string
  readonly usage: Usage
  /** Null if the price of the model is unknown; absent if costs are not computed. */
  readonly cost?: Cost | null
}

/** The content of the step so far is void. The step is tried again. */
export interface StepRollback extends OfAgent {
  readonly type: 'step_rollback'
  readonly step: number
  readonly attempt: number
  readonly reason: string
}

/** A file that the run generated. */
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
    /** The provider's original text without secrets, for the server's log; never sent to readers. */
    readonly original?: string
  }
}

/** The run ended, or paused with a {@link isPauseReason}. */
export interface RunEnd extends OfAgent {
  readonly type: 'run_end'
  readonly stopReason: string
  readonly steps: number
  /** Includes the usage of sub-agents. */
  readonly usage: Usage
  /** Includes the cost of sub-agents; null if a price is unknown, absent if costs are not computed. */
  readonly cost?: Cost | null
  /** The messages of this run, starting with the prompt. */
  readonly messages: readonly Message[]
  /** The whole conversation; written only for readers that request history. Default: `messages`. */
  readonly history?: readonly Message[]
  /** The files that the run and its sub-agents generated. */
  readonly files: readonly MadeFile[]
}

/** All events of an agent. */
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

/** The content of a tool result for a model. */
export type ResultContent = string | readonly ContentBlock[]

const failureReasons: ReadonlySet<string> = new Set(['error', 'aborted'])

/** Checks for a stop reason of a completed run: not failed, not stopped, not paused. */
export function isCompletion(stopReason: string): boolean {
  return !isPauseReason(stopReason) && !failureReasons.has(stopReason)
}
