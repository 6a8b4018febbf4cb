import type { JsonObject } from 'millrace'

/** A block of a reply, ready to be sent in chunks or whole. */
export interface BlockPlan {
  /** The block in `content_block_start`. */
  readonly start: JsonObject
  /** Deltas before the first chunk. */
  readonly head: readonly JsonObject[]
  /** The text that the model writes, in chunks. */
  readonly pieces: readonly string[]
  readonly toDelta: (piece: string) => JsonObject
  /** Deltas after the last chunk. */
  readonly tail: readonly JsonObject[]
  /** Returns the complete block from the text that was written. */
  readonly toWhole: (text: string, isCut: boolean) => JsonObject
  /** Number of tokens besides those of the chunks. */
  readonly ownTokens: number
  readonly isCut: boolean
  /** The block is never closed. */
  readonly isOpen: boolean
  /** Time that the provider works before it sends the block. */
  readonly waitMs: number
}

const noDelta = (): JsonObject => ({})

/** Creates a plan from the fields that differ from the defaults. */
export function createPlan(
  special: Partial<BlockPlan> & Pick<BlockPlan, 'start' | 'toWhole'>,
): BlockPlan {
  const nothing = { head: [], pieces: [], toDelta: noDelta, tail: [] }
  return { ...nothing, ownTokens: 0, isCut: false, isOpen: false, waitMs: 0, ...special }
}

/** Cuts a plan to its first `length` characters, or one less to keep a surrogate pair whole. */
export function cutPlan(plan: BlockPlan, length: number): BlockPlan {
  return { ...plan, pieces: takeText(plan.pieces, length), tail: [], isCut: true }
}

function takeText(pieces: readonly string[], length: number): string[] {
  const taken: string[] = []
  let left = length
  for (const piece of pieces) {
    if (piece.length > left) return left > 0 ? [...taken, takeStart(piece, left)] : taken
    taken.push(piece)
    left -= piece.length
  }
  return taken
}

function takeStart(piece: string, length: number): string {
  const isSplit = /[\ud800-\udbff]/.test(piece[length - 1] ?? '')
  return piece.slice(0, isSplit ? length - 1 : length)
}
