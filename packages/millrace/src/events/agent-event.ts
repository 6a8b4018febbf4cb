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
  readonly model: string
  readonly name?: string
  readonly parentAgent?: string
  readonly parentToolUseId?: string
  /** This run's first messages, sent only to readers who asked for history. */
  readonly messages: readonly Message[]
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

/** A call that waits for the browser. */
export interface AwaitedCall {
  readonly id: string
  readonly name: string
  /** The arguments as the model wrote them. */
  readonly inputText: string
}

/** The run pauses until the browser has answered these calls. */
export interface ToolsAwaited extends OfAgent {
  readonly type: 'tools_awaited'
  readonly calls: readonly AwaitedCall[]
}

/** The model's part of a step is over. */
export interface StepEnd extends OfAgent {
  readonly type: 'step_end'
  readonly step: number
  readonly stopReason: string
  readonly usage: Usage
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
  }
}

/** The run ended, or paused with `stopReason: 'awaiting_frontend_tools'`. */
export interface RunEnd extends OfAgent {
  readonly type: 'run_end'
  readonly stopReason: string
  readonly steps: number
  readonly usage: Usage
  /** The run's messages, sent only to readers who asked for history. */
  readonly messages: readonly Message[]
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
  | StepEnd
  | StepRollback
  | FilesReady
  | RunError
  | RunEnd

/** The content of a tool result as it goes to a model. */
export type ResultContent = string | readonly ContentBlock[]
