import {
  addCost,
  addUsage,
  type AgentEvent,
  type AgentTelemetry,
  type Cost,
  type FinalAnswer,
  type Model,
  type ModelNotice,
  type Permit,
  type Prompt,
  type RunFailure,
  type SpanOutcome,
  type ToolChoice,
  type ToolResult,
  type Usage,
  type WorkSpan,
} from '../events/index.ts'
import type { Compactor } from './compaction/index.ts'
import { costOf, type PriceTable } from '../models/pricing/index.ts'
import type { JsonValue } from '../json/index.ts'
import type { Tool, ToolAnswer, Toolbox } from '../tools/index.ts'
import type { AgentState } from './state/index.ts'
import type { Checkpoint, Subagent } from './agent.ts'
import type { CallIds } from './calls/call-ids.ts'
import type { FileKeeper } from './loop/generated-files.ts'
import type { OutputContract } from './loop/output-contract.ts'
import type { StepPreparation, ToolCallStart } from './loop/step-hooks.ts'
import type { FinishedStep, StopCondition } from './loop/stop-when.ts'
import type { RunControl } from './run-control.ts'
import type { WaitingChildren } from './subagents/waiting-children.ts'

/**
 * Treatment of an answer that was interrupted inside a text: the model continues it if it accepts the beginning of its answer; else the
 * answer is repeated (`continue`) or the model is asked to continue (`ask`). `retry` always repeats it.
 */
export type CutAnswers = 'continue' | 'ask' | 'retry'

/** Checks a final answer: true to accept it, else the message to the model. */
export type FinalAnswerCheck = (answer: string) => true | string | Promise<true | string>

/** The options of an agent with their defaults. */
export interface AgentSettings {
  readonly name: string
  readonly description: string | undefined
  readonly model: Model
  readonly system: Instructions | undefined
  readonly tools: AgentTools
  readonly toolChoice: StepToolChoice | undefined
  readonly subagents: ReadonlyMap<string, Subagent>
  readonly subagentsNeedApproval: boolean
  readonly maxSteps: number
  readonly maxTokens: number
  readonly maxParallelTools: number
  readonly maxResultChars: number
  readonly maxKeptChars: number
  readonly maxKeptSubagents: number
  readonly maxAnswerChecks: number
  readonly retries: number
  readonly retryDelayMs: number
  readonly maxRetryDelayMs: number
  readonly abortGraceMs: number
  readonly cutAnswers: CutAnswers
  readonly cachePrompt: boolean
  readonly compactor: Compactor
  readonly prices: PriceTable | undefined
  readonly files: FileKeeper | undefined
  readonly stopWhen: StopCondition | undefined
  readonly beforeStep: StepPreparation | undefined
  readonly afterStep: ((step: FinishedStep) => unknown) | undefined
  readonly onToolCall: ((call: ToolCallStart) => unknown) | undefined
  readonly output: OutputContract | undefined
  readonly finalAnswerCheck: FinalAnswerCheck | undefined
  readonly telemetry: AgentTelemetry
  readonly createId: () => string
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>
  readonly random: () => number
  readonly onNotice: (notice: ModelNotice) => void
  readonly onError: (error: unknown) => void
}

/** The circumstances of a run, for instructions and tools that depend on them. */
export interface RunPlace<Context = unknown> {
  /** The context of the run, as the option `context` of the server returned it; undefined without one. */
  readonly context: Context
  /** The id of the agent. */
  readonly agent: string
}

/** A text, or a function that returns the text for a run. */
export type Instructions<Context = unknown> =
  | string
  | ((place: RunPlace<Context>) => string | Promise<string>)

/** A list of tools, or a function that returns the tools of a run. */
export type AgentTools<Context = unknown> =
  | readonly Tool[]
  | ((place: RunPlace<Context>) => readonly Tool[] | Promise<readonly Tool[]>)

/** The circumstances of a step, for a choice that depends on it. */
export interface StepPlace<Context = unknown> extends RunPlace<Context> {
  /** The number of the step in its run, from 1, as in `step_end`. */
  readonly step: number
}

/**
 * A tool choice, or a function that returns one for each step; undefined leaves it to the model. A constant that demands a call applies to
 * the first step of a run, because the model could never answer otherwise.
 */
export type StepToolChoice<Context = unknown> =
  | ToolChoice
  | ((place: StepPlace<Context>) => ToolChoice | undefined | Promise<ToolChoice | undefined>)

/** One active run: the only mutable object of the agent. */
export interface Run {
  readonly settings: AgentSettings
  readonly context: JsonValue | undefined
  /** The instructions of this run. */
  system: string | undefined
  /** The tools of this run. */
  toolbox: Toolbox
  /** The model of the current step. */
  model: Model
  /** The tool choice of the current step. */
  toolChoice: ToolChoice | undefined
  /** Aborts when the run is stopped or over. */
  readonly signal: AbortSignal
  readonly control: RunControl
  readonly permit: Permit
  readonly callIds: CallIds
  span: WorkSpan
  step: WorkSpan | undefined
  state: AgentState
  readonly answer: FinalAnswer
  /** The stop reason that `run_end` will have. */
  stopReason: string
  /** The error of the run, once it has failed. */
  error: RunFailure | undefined
  /** User messages that the model has not received. */
  steering: Prompt[]
  /** Interrupts the current model call. */
  interrupt: (() => void) | undefined
  waiting: WaitingChildren | undefined
  /** The ids of active sub-agents. */
  readonly atWork: Set<string>
  /** Calls that may have been running when their process died. They run again only if their tool is idempotent. */
  readonly lost: ReadonlySet<string>
  /** The ids of waiting agents beneath this one that are to be ended. */
  readonly stopping: Set<string>
  /** Whether the run takes no more commands. */
  isEnding: boolean
  readonly approvalTtlMs: number | undefined
  readonly now: () => number
}

/** A stream of events and checkpoints with a result for the loop. */
export type RunStream<Result> = AsyncGenerator<AgentEvent | Checkpoint, Result, undefined>

/** The next move of a run: a model call, the open calls, or the end. */
export type Next = 'model' | 'tools' | 'end'

/** Creates a checkpoint to store with the next event. */
export function checkpoint(state: AgentState): Checkpoint {
  return { type: 'checkpoint', state }
}

/** Creates the event of a call's result. */
export function toToolResult(
  agent: string,
  call: { readonly id: string; readonly name: string },
  { text, images, isError }: ToolAnswer,
): ToolResult {
  return { type: 'tool_result', agent, callId: call.id, name: call.name, text, images, isError }
}

/** Returns the span of the current step; a run that resumes after a pause opens it again. */
export function currentSpan(run: Run): WorkSpan {
  run.step ??= run.span.start('step', { step: Math.max(run.state.steps, 1) })
  return run.step
}

/** Ends the span of the current step and opens the next one. */
export function openStepSpan(run: Run): void {
  closeStepSpan(run)
  run.step = run.span.start('step', { step: run.state.steps + 1 })
}

/** Ends the telemetry span of the current step, if there is one. */
export function closeStepSpan(run: Run, outcome?: SpanOutcome): void {
  run.step?.end(outcome)
  run.step = undefined
}

/** Adds the usage of a model call to the totals of the run. Failed attempts count too. */
export function countUsage(run: Run, usage: Usage, model: string): void {
  const { state, settings } = run
  run.state = {
    ...state,
    usage: addUsage(state.usage, usage),
    cost: addCost(state.cost, priceOf(settings, usage, model)),
  }
}

/** Returns the cost of a model call; null if the price of the model is unknown. */
export function priceOf({ prices }: AgentSettings, usage: Usage, model: string): Cost | null {
  return costOf(model, usage, prices === undefined ? {} : { prices })
}
