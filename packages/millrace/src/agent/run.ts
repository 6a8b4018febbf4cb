import type {
  AgentEvent,
  AgentTelemetry,
  FinalAnswer,
  Model,
  ModelNotice,
  Permit,
  Prompt,
  RunError,
  ToolResult,
  WorkSpan,
} from '../events/index.ts'
import type { Compactor } from './compaction/index.ts'
import type { PriceTable } from '../models/pricing/index.ts'
import type { ToolAnswer, Toolbox } from '../tools/index.ts'
import type { AgentState } from './state/index.ts'
import type { Checkpoint, Subagent } from './agent.ts'
import type { CallIds } from './calls/call-ids.ts'
import type { FileKeeper } from './loop/generated-files.ts'
import type { RunControl } from './run-control.ts'
import type { WaitingChildren } from './subagents/waiting-children.ts'

/**
 * What becomes of an answer that was cut inside a text: it goes on where the model takes the beginning of its answer and
 * is given again elsewhere (`continue`), the model is asked to go on elsewhere (`ask`), or it is always given again (`retry`).
 */
export type CutAnswers = 'continue' | 'ask' | 'retry'

/** Looks at a final answer: true if it will do, else what the model is told to do about it. */
export type FinalAnswerCheck = (answer: string) => true | string | Promise<true | string>

/** What an agent was created with, defaults filled in. */
export interface AgentSettings {
  readonly name: string
  readonly description: string | undefined
  readonly model: Model
  readonly system: string | undefined
  readonly toolbox: Toolbox
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
  readonly finalAnswerCheck: FinalAnswerCheck | undefined
  readonly telemetry: AgentTelemetry
  readonly createId: () => string
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>
  readonly random: () => number
  readonly onNotice: (notice: ModelNotice) => void
  readonly onError: (error: unknown) => void
}

/** One run under way: the only thing in the agent that changes. */
export interface Run {
  readonly settings: AgentSettings
  /** Aborts when the run is stopped, and when it is over. */
  readonly signal: AbortSignal
  readonly control: RunControl
  readonly permit: Permit
  readonly callIds: CallIds
  span: WorkSpan
  /** The span of the step that is worked on. */
  step: WorkSpan | undefined
  state: AgentState
  /** The final answer so far. */
  readonly answer: FinalAnswer
  /** What `run_end` will say. */
  stopReason: string
  /** Why the run failed, once it has. */
  error: RunError['error'] | undefined
  /** What people have written meanwhile and the model has not been told. */
  steering: Prompt[]
  /** Cuts the model call under way, if there is one. */
  interrupt: (() => void) | undefined
  /** The sub-agents that wait for people, while tools run. */
  waiting: WaitingChildren | undefined
  /** The ids of sub-agents at work. */
  readonly atWork: Set<string>
  /** Calls that may have been running when their process died, and must not run again. */
  readonly lost: ReadonlySet<string>
  /** The ids of agents beneath this one that are to be ended where they wait. */
  readonly stopping: Set<string>
  /** Whether it is too late to change anything. */
  isEnding: boolean
  readonly approvalTtlMs: number | undefined
  readonly now: () => number
}

/** What a station of the loop yields, and what it hands to the loop. */
export type RunStream<Result> = AsyncGenerator<AgentEvent | Checkpoint, Result, undefined>

/** Where the loop goes next. */
export type Next = 'model' | 'tools' | 'end'

/** Says that a state is to be stored with the event that follows. */
export function checkpoint(state: AgentState): Checkpoint {
  return { type: 'checkpoint', state }
}

/** Tells the stream what a tool answered. */
export function toToolResult(
  agent: string,
  call: { readonly id: string; readonly name: string },
  { text, images, isError }: ToolAnswer,
): ToolResult {
  return { type: 'tool_result', agent, id: call.id, name: call.name, text, images, isError }
}
