import type { Envelope } from '../../../envelope/index.ts'
import type { AgentDraft } from './draft.ts'

/** What the reducer must remember of an agent beside what is shown. */
export interface AgentBook {
  /** The key of the next block. */
  readonly nextKey: number
  /** The position from which on a `rollback` voids blocks. [LIFE-8] */
  readonly boundary: number
  /** Positions before the boundary of calls that came after it, because their results came first. */
  readonly late: readonly number[]
  /** The position at which the final answer starts, and where it started at the boundary. [LIFE-15] */
  readonly answerFrom: number
  readonly settledAnswerFrom: number
  /** Positions at which a block, or the result under it, may go on: all that do, and some that were closed. */
  readonly open: readonly number[]
  /** Text is a summary for the model until `compaction_end`. [EXT-3] */
  readonly compacting: boolean
  /** Messages that go on in the next one of their block. [CHUNK-5] */
  readonly held: readonly Envelope[]
}

/** Marks a step boundary: nothing shown so far can be voided. [LIFE-8] */
export function settleStep(agent: AgentDraft): void {
  const { answerFrom: settledAnswerFrom } = agent.book
  note(agent, { boundary: agent.blocks.length, late: [], settledAnswerFrom })
}

/** Changes the book of an agent. */
export function note(agent: { book: AgentBook }, change: Partial<AgentBook>): void {
  agent.book = { ...agent.book, ...change }
}
