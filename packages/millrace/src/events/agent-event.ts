import { type Extras } from './envelope/envelope.ts'
import type { EventRows, MembersOf } from './catalog/catalog.ts'
import { isPauseReason } from './catalog/find-traits.ts'
import type { Cost } from './cost.ts'
import type { ContentBlock, Message, Prompt, Usage } from './message.ts'
import type { BlockDelta, BlockEnd, BlockStart } from './model-event.ts'

/** Fields of every agent event. */
export interface EventBase {
  /** The id of the agent; sub-agents have their own. */
  readonly agent: string
}

/** An event with the members that its row names, apart from those that agents emit in another form. */
type Emitted<Event extends keyof EventRows, Other extends string = never> = EventBase & {
  readonly type: Event
} & Omit<MembersOf<Event>, Other>

/** A run starts. */
export interface RunInit extends EventBase {
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

/** A passage that supports the text of an open block. */
export interface TextCitation extends Emitted<'citation'> {
  readonly block: number
  /** The source, as fields of the frame. [MAP-3] */
  readonly fields: Extras
}

/** A tool has returned a result. */
export interface ToolResult extends EventBase {
  readonly type: 'tool_result'
  readonly callId: string
  readonly name: string
  readonly text: string
  readonly images: readonly ResultImage[]
  readonly isError: boolean
}

/** A call without a result so far. */
export interface AnnouncedCall {
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

/** The run pauses until the browser answers these calls, or a user decides on them. */
interface Pause extends EventBase {
  readonly type: 'awaiting_frontend_tools' | 'awaiting_approval'
  readonly calls: readonly AnnouncedCall[]
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
export interface ToolStatus extends Emitted<'tool_status', 'detail'> {
  readonly stage: ToolStage
  /** The progress of the tool, the reason of a denial, or the edited arguments. */
  readonly detail?: string
  /** The record of the decision behind the stages `approved`, `refused` and `expired`. [APR-3] */
  readonly fields?: Extras
}

/** A user sent a message to an active run. */
export interface MessageToRun extends EventBase {
  readonly type: 'user_message'
  readonly prompt: Prompt
  /** The key that the sender assigned to the message. */
  readonly messageId?: string
}

/** States of a prompt that is queued behind a run, or left the queue without starting. */
export type QueueState = 'queued' | 'withdrawn' | 'void'

/** A prompt was queued behind a run, or left the queue without starting. */
export interface QueueNotice extends Emitted<'queued_prompt'> {
  readonly state: QueueState
  /** The beginning of its text, or the reason why it cannot start. */
  readonly text: string
}

/** The model's part of a step has ended. */
export interface StepEnd extends Emitted<'step_end', 'usage' | 'cost'> {
  readonly usage: Usage
  /** Null if the price of the model is unknown; absent if costs are not computed. */
  readonly cost?: Cost | null
}

/** The content of the step so far is void. The step is tried again. */
export type Rollback = Emitted<'rollback'>

/** A file that the run generated. */
export interface GeneratedFile {
  readonly fileId: string
  readonly filename: string
  readonly storageLocation: string
}

/** Files are ready. */
export interface RunFiles extends EventBase {
  readonly type: 'files'
  readonly files: readonly GeneratedFile[]
}

/** The failure of a run. */
export interface RunFailure {
  readonly type: string
  readonly message: string
  readonly code: string
  readonly retriable: boolean
  /** The provider's original text without secrets, for the server's log; never sent to readers. */
  readonly original?: string
}

/** The run failed. */
export type RunError = Emitted<'error'> & Pick<RunFailure, 'original'>

/** The run ended, or paused with a {@link isPauseReason}. */
export interface RunEnd extends Emitted<'run_end', 'usage' | 'cost'> {
  /** Includes the usage of sub-agents. */
  readonly usage: Usage
  /** Includes the cost of sub-agents; null if a price is unknown, absent if costs are not computed. */
  readonly cost?: Cost | null
  /** The messages of this run, starting with the prompt. */
  readonly messages: readonly Message[]
  /** The whole conversation; written only for readers that request history. Default: `messages`. */
  readonly history?: readonly Message[]
  /** The files that the run and its sub-agents generated. */
  readonly files: readonly GeneratedFile[]
}

/** All events of an agent. */
export type AgentEvent =
  | RunInit
  | (BlockStart & EventBase)
  | (BlockDelta & EventBase)
  | TextCitation
  | (BlockEnd & EventBase)
  | ToolResult
  | Pause
  | ToolStatus
  | MessageToRun
  | Emitted<'compaction'>
  | StepEnd
  | Rollback
  | RunFiles
  | RunError
  | RunEnd

/** All events that become frames: those of agents and of the server. */
export type LoggedEvent = AgentEvent | QueueNotice

/** The content of a tool result for a model. */
export type ResultContent = string | readonly ContentBlock[]

const failureReasons: ReadonlySet<string | null | undefined> = new Set(['error', 'aborted'])

/** Checks for the stop reason of a run that failed or was stopped. */
export function isFailureReason(stopReason: string | null | undefined): boolean {
  return failureReasons.has(stopReason)
}

/** Checks for a stop reason of a completed run: not failed, not stopped, not paused. */
export function isCompletion(stopReason: string): boolean {
  return !isPauseReason(stopReason) && !isFailureReason(stopReason)
}
