import type { AgentEvent, Model, ModelNotice, ToolResult } from '../events/index.ts'
import type { ToolAnswer, Toolbox } from '../tools/index.ts'
import type { AgentState } from './agent-state.ts'
import type { Checkpoint } from './agent.ts'

/** What an agent was created with, defaults filled in. */
export interface AgentSettings {
  readonly name: string
  readonly model: Model
  readonly system: string | undefined
  readonly toolbox: Toolbox
  readonly maxSteps: number
  readonly maxTokens: number
  readonly maxParallelTools: number
  readonly retries: number
  readonly retryDelayMs: number
  readonly maxRetryDelayMs: number
  readonly abortGraceMs: number
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
  /** Heeds the caller's signal from now on; gives what stops all that the run has started and lets go of it. */
  readonly link: () => () => void
  state: AgentState
  /** What `run_end` will say. */
  stopReason: string
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
