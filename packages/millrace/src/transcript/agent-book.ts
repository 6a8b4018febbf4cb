import type { Envelope } from '../envelope/index.ts'

/** What the reducer must remember of an agent beside what is shown. */
export interface AgentBook {
  /** The key of the next block. */
  readonly nextKey: number
  /** The position from which on a `rollback` voids blocks. [LIFE-8] */
  readonly boundary: number
  /** Positions at which a block, or the result under it, may go on: all that do, and some that were closed. */
  readonly open: readonly number[]
  /** Text is a summary for the model until `compaction_end`. [EXT-3] */
  readonly compacting: boolean
  /** Messages that go on in the next one of their block. [CHUNK-5] */
  readonly held: readonly Envelope[]
}

/** Changes the book of an agent. */
export function note(agent: { book: AgentBook }, change: Partial<AgentBook>): void {
  agent.book = { ...agent.book, ...change }
}
