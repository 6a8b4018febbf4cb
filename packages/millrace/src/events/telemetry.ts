import type { ContentBlock, Prompt, Usage } from './message.ts'
import type { ModelRequest } from './model.ts'

/** What watches the work of an agent from outside, such as the spans of a tracer. Never throws. */
export interface AgentTelemetry {
  /** A run begins, or goes on after a pause. */
  startRun(info: RunInfo): WorkSpan
}

/** A run, as far as a tracer wants to know. */
export interface RunInfo {
  /** The id of the agent, which is that of its session unless it has a parent. */
  readonly agent: string
  readonly runId: string
  readonly name?: string
  readonly model: string
  /** What the run was asked; absent where it goes on after a pause. */
  readonly prompt?: Prompt
  /** The span of the tool call that has spawned this agent. */
  readonly parent?: WorkSpan
}

/** One pass of the loop: a message of the model and the tools that it calls. */
export interface StepInfo {
  /** Counts from 1. */
  readonly step: number
}

/** One request to a model. */
export interface ModelCallInfo {
  readonly model: string
  /** Counts from 1 within its step. */
  readonly attempt: number
  readonly request: ModelRequest
}

/** One call of a tool. */
export interface ToolCallInfo {
  readonly name: string
  readonly callId: string
  readonly description?: string
  /** The arguments as the model wrote them. */
  readonly inputText?: string
}

/** The kinds of work within a run, with what is known of each when it starts. */
export interface SpanInfos {
  readonly step: StepInfo
  readonly model: ModelCallInfo
  readonly tool: ToolCallInfo
}

/** The kinds of work within a run. */
export type WorkKind = keyof SpanInfos

/** How work ended; a stop by a person is no error. */
export interface SpanOutcome {
  /** Why it failed: `type` is one of few words, such as a code; absent if it did not. */
  readonly error?: { readonly type: string; readonly message: string }
  /** Of a run, step or model call: the word for its end. */
  readonly stopReason?: string | null
  /** Of a run, step or model call. */
  readonly usage?: Usage
  /** Of a run: how many steps it took. */
  readonly steps?: number
  /** Of a run or model call: what it cost, where that is known. */
  readonly costUsd?: number
  /** Of a model call: the model that answered, and the id of its message. */
  readonly responseModel?: string
  readonly responseId?: string
  /** Of a model call: what it has written. */
  readonly content?: readonly ContentBlock[]
  /** Of a run, its final answer; of a tool, its result. */
  readonly text?: string
}

/** Facts of something that happened within a span. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>

/** Work that is under way, as something outside sees it. */
export interface WorkSpan {
  /** Starts a part of this work. */
  start<Kind extends WorkKind>(kind: Kind, info: SpanInfos[Kind]): WorkSpan
  /** Something happened, such as a retry, a rollback or an approval. */
  event(name: string, attributes?: SpanAttributes): void
  /** Ends it; only the first call counts. */
  end(outcome?: SpanOutcome): void
  /** Calls `work` with this span as the current one, so that what it starts belongs to it. */
  run<Result>(work: () => Result): Result
}

/** Work that nobody looks at. */
export const silentSpan: WorkSpan = {
  start: () => silentSpan,
  event: () => {},
  end: () => {},
  run: (work) => work(),
}

/** Telemetry that nobody looks at. */
export const noTelemetry: AgentTelemetry = { startRun: () => silentSpan }
