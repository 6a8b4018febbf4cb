import {
  type Cost,
  type FinalAnswer,
  type GeneratedFile,
  type Message,
  type RunFailure,
  toFinalAnswer,
  type Usage,
} from '../events/index.ts'
import { type AgentState, messagesOfRun, totalsOf } from './state/index.ts'

/** The result of a run. */
export interface RunResult {
  /** The text after the last call, result or user message. [LIFE-15] */
  readonly finalAnswer: string
  readonly stopReason: string
  readonly steps: number
  /** Includes sub-agents. */
  readonly usage: Usage
  /** Includes sub-agents; null if a part has no known price. */
  readonly cost: Cost | null
  /** The files that this run and its sub-agents generated. */
  readonly files: readonly GeneratedFile[]
  /** The messages of this run, from the prompt on. */
  readonly messages: readonly Message[]
  /** The error of a failed run. */
  readonly error?: RunFailure
  /** The state that the next run continues from. */
  readonly state: AgentState
}

interface Ended {
  readonly state: AgentState
  readonly answer: FinalAnswer
  readonly stopReason: string
  readonly error: RunFailure | undefined
}

/** Creates the result of a run that has ended or paused. */
export function toRunResult({ state, answer, stopReason, error }: Ended): RunResult {
  const messages = messagesOfRun(state)
  const { steps } = state
  const finalAnswer = answer.text()
  const said = { finalAnswer, stopReason, steps, ...totalsOf(state), messages }
  return { ...said, ...(error !== undefined && { error }), state }
}

/** Returns the final answer of a run that continues from a state: a result in its open turn resets it. [LIFE-15] */
export function answerSoFar(state: AgentState): string {
  const { turn } = state
  const isAnswered = turn !== undefined && turn.results.length > 0
  return isAnswered ? '' : toFinalAnswer(messagesOfRun(state))
}
