import { type AgentDraft, draftReducerState } from './draft.ts'

/** Internal state of the reducer for one agent. */
export interface ReducerState {
  /** The key of the next block. */
  readonly nextKey: number
  /** The position from which a `rollback` voids blocks. [LIFE-8] */
  readonly boundary: number
  /** Positions before the boundary of calls that came after it, because their results came first. */
  readonly late: readonly number[]
  /** The position where the final answer starts, and where it started at the boundary. [LIFE-15] */
  readonly answerFrom: number
  readonly settledAnswerFrom: number
  /** Positions of all open blocks and results, and of some closed ones. */
  readonly open: readonly number[]
}

/** Marks a step boundary: earlier blocks can no longer be voided. [LIFE-8] */
export function settleStep(agent: AgentDraft): void {
  const reducer = draftReducerState(agent)
  reducer.boundary = agent.blocks.length
  reducer.late = []
  reducer.settledAnswerFrom = reducer.answerFrom
}
