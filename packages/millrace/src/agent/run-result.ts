import {
  type Cost,
  type FinalAnswer,
  type MadeFile,
  type Message,
  type RunError,
  toFinalAnswer,
  type Usage,
} from '../events/index.ts'
import { type AgentState, totalsOf } from './state/index.ts'

/** What came of a run. */
export interface RunResult {
  /** What the agent wrote after its last call, result or user message. [LIFE-15] */
  readonly finalAnswer: string
  readonly stopReason: string
  readonly steps: number
  /** With what sub-agents used. */
  readonly usage: Usage
  /** With what sub-agents cost; null if a part of it has no known price. */
  readonly cost: Cost | null
  /** The files that this run and its sub-agents made. */
  readonly files: readonly MadeFile[]
  /** The messages of this run, from the prompt on. */
  readonly messages: readonly Message[]
  /** Why the run failed; absent if it did not. */
  readonly error?: RunError['error']
  /** What the next run goes on from. */
  readonly state: AgentState
}

/** How a run ended. */
interface Ended {
  readonly state: AgentState
  readonly answer: FinalAnswer
  readonly stopReason: string
  readonly error: RunError['error'] | undefined
}

/** Reads the result from what a run ended with. */
export function toRunResult({ state, answer, stopReason, error }: Ended): RunResult {
  const messages = state.messages.slice(state.runStart)
  const { steps } = state
  const finalAnswer = answer.text()
  const said = { finalAnswer, stopReason, steps, ...totalsOf(state), messages }
  return { ...said, ...(error !== undefined && { error }), state }
}

/** The final answer of a run that continues from a state: a result in its open turn resets it. [LIFE-15] */
export function answerSoFar({ messages, runStart, turn }: AgentState): string {
  const isAnswered = turn !== undefined && turn.results.length > 0
  return isAnswered ? '' : toFinalAnswer(messages.slice(runStart))
}
