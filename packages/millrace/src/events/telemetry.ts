import type { ContentBlock, Prompt, Usage } from './message.ts'
import type { ModelRequest } from './model.ts'

/** The telemetry port of an agent, for example for a tracer. Implementations never throw. */
export interface AgentTelemetry {
  /** Starts the span of a run, or of its continuation after a pause. */
  startRun(info: RunInfo): WorkSpan
}

/** Information about a run for telemetry. */
export interface RunInfo {
  /** The id of the agent. It equals the session id unless the agent has a parent. */
  readonly agent: string
  readonly runId: string
  readonly name?: string
  readonly model: string
  /** The prompt; absent if the run continues after a pause. */
  readonly prompt?: Prompt
  /** The span of the tool call that spawned this agent. */
  readonly parent?: WorkSpan
}

/** A step: one model message and its tool calls. */
export interface StepInfo {
  /** Counts from 1. */
  readonly step: number
}

/** A request to a model. */
export interface ModelCallInfo {
  readonly model: string
  /** Counts from 1 within its step. */
  readonly attempt: number
  readonly request: ModelRequest
}

/** A tool call. */
export interface ToolCallInfo {
  readonly name: string
  readonly callId: string
  readonly description?: string
  /** The arguments as the model wrote them. */
  readonly inputText?: string
}

/** Kinds of spans within a run, with their initial information. */
export interface SpanInfos {
  readonly step: StepInfo
  readonly model: ModelCallInfo
  readonly tool: ToolCallInfo
}

/** Kinds of spans within a run. */
export type WorkKind = keyof SpanInfos

/** The outcome of a span. A stop by a user is not an error. */
export interface SpanOutcome {
  /** The error; absent on success. `type` is from a small set, such as a code. */
  readonly error?: { readonly type: string; readonly message: string }
  /** The stop reason of a run, step or model call. */
  readonly stopReason?: string | null
  /** The usage of a run, step or model call. */
  readonly usage?: Usage
  /** The number of steps of a run. */
  readonly steps?: number
  /** The cost of a run or model call, if known. */
  readonly costUsd?: number
  /** The model and the message id of a model response. */
  readonly responseModel?: string
  readonly responseId?: string
  /** The content of a model response. */
  readonly content?: readonly ContentBlock[]
  /** The final answer of a run, or the result of a tool. */
  readonly text?: string
}

/** Attributes of a span event. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>

/** An active span. */
export interface WorkSpan {
  /** Starts a child span. */
  start<Kind extends WorkKind>(kind: Kind, info: SpanInfos[Kind]): WorkSpan
  /** Records an event, such as a retry, a rollback or an approval. */
  event(name: string, attributes?: SpanAttributes): void
  /** Ends the span. Further calls have no effect. */
  end(outcome?: SpanOutcome): void
  /** Calls `work` with this span as the active one, so that new spans become its children. */
  run<Result>(work: () => Result): Result
}

/** A span without effect. */
export const silentSpan: WorkSpan = {
  start: () => silentSpan,
  event: () => {},
  end: () => {},
  run: (work) => work(),
}

/** Telemetry without effect. */
export const noTelemetry: AgentTelemetry = { startRun: () => silentSpan }

/**
 * Reads a stream with `span` as the active span during each read, not only during opening. Records the first item as
 * the event `first_chunk`.
 */
export async function* streamWithin<Item>(
  span: WorkSpan,
  open: () => AsyncIterable<Item>,
): AsyncGenerator<Item, void> {
  const source = span.run(() => open()[Symbol.asyncIterator]())
  let isWaiting = false
  let isBegun = false
  try {
    for (;;) {
      const next = await span.run(() => source.next())
      if (next.done === true) return
      if (!isBegun) span.event('first_chunk')
      isBegun = true
      isWaiting = true
      yield next.value
      isWaiting = false
    }
  } finally {
    if (isWaiting) await span.run(() => source.return?.())
  }
}
