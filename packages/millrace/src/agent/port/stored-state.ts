import type { ContentBlock, Cost, GeneratedFile, Usage } from '../../events/index.ts'
import type { PendingCalls } from './answers.ts'

/**
 * One text of a stored state. Only its agent reads the body. A state has lanes 0, 1, 2 … without gaps. A lane has parts 1, 2, 3 …,
 * at least one, which never change, and a cell, number 0, which is replaced.
 */
export interface StatePart {
  readonly lane: number
  readonly number: number
  /** Null removes a cell. */
  readonly body: string | null
}

/** A part of a lane as it was read. */
export interface StoredPart {
  readonly number: number
  readonly body: string
}

/** Replaces content blocks that hold files by blocks that name them, and back. */
export interface BlockStorage {
  readonly toStored: (block: ContentBlock) => ContentBlock
  readonly restore: (blocks: readonly ContentBlock[]) => Promise<readonly ContentBlock[]>
}

/** The stored state of one session, empty before the first checkpoint. */
export interface StoredState {
  /** Reads all cells by lane. */
  cells(): Promise<ReadonlyMap<number, string>>
  /** Reads parts of a lane in ascending order: those after `after`, up to `upTo`. */
  parts(
    lane: number,
    range?: { readonly after?: number; readonly upTo?: number },
  ): AsyncIterable<StoredPart>
  readonly blocks: BlockStorage
}

/** The run that a checkpoint belongs to, and its totals with those of sub-agents. */
export interface RunProgress {
  readonly id: string
  readonly steps: number
  readonly usage: Usage
  /** Null if a price is unknown. */
  readonly cost: Cost | null
  readonly files: readonly GeneratedFile[]
}

/**
 * A state to store together with the frames of the next event. The server may skip a checkpoint in favour of a later one, so each encodes all
 * changes since the last one that was encoded.
 */
export interface AgentCheckpoint {
  readonly type: 'checkpoint'
  readonly pending: PendingCalls
  readonly run: RunProgress
  /** The final answer so far. [LIFE-15] */
  readonly answer: string
  /** Whether a session can be forked here: every call has its result, and every event of that was emitted. [BRANCH-2] */
  readonly isCut: boolean
  /** Whether it is stored at once, because it belongs to no event. */
  readonly isAlone?: boolean
  /** Encodes the changes since the last checkpoint that was encoded; nothing if it is repeated. */
  encode(): readonly StatePart[]
  /** A digest of the conversation up to here, see {@link ConversationDigest}; absent if the agent has none. */
  readonly digest?: string
  /** Locates the messages of the run in the encoded state, as JSON that only the agent reads. */
  place(): object
}

/** Encodes a state that version 0.1.0 stored as one value. Agents read it and write their own parts after it. */
export function wrapOldState(state: unknown): readonly StatePart[] {
  return [
    { lane: 0, number: 1, body: JSON.stringify({ value: state }) },
    { lane: 0, number: 0, body: JSON.stringify({ version: 0, parts: 1 }) },
  ]
}
