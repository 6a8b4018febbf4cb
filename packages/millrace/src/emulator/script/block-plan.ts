import type { JsonObject } from '../../json/index.ts'

/** A block of a reply, ready to be sent piece by piece or whole. */
export interface BlockPlan {
  /** The block as `content_block_start` shows it. */
  readonly start: JsonObject
  /** Deltas before the first piece. */
  readonly head: readonly JsonObject[]
  /** What the model writes, as it is sent. */
  readonly pieces: readonly string[]
  readonly toDelta: (piece: string) => JsonObject
  /** Deltas after the last piece. */
  readonly tail: readonly JsonObject[]
  /** The block as a message holds it, from what was written of it. */
  readonly toWhole: (text: string, isCut: boolean) => JsonObject
  /** Tokens besides those of the pieces. */
  readonly ownTokens: number
  readonly isCut: boolean
  /** The block is never stopped. */
  readonly isOpen: boolean
  /** How long the provider works before it can show the block. */
  readonly waitMs: number
}

const noDelta = (): JsonObject => ({})

/** A plan from what is special about it. */
export function createPlan(
  special: Partial<BlockPlan> & Pick<BlockPlan, 'start' | 'toWhole'>,
): BlockPlan {
  const nothing = { head: [], pieces: [], toDelta: noDelta, tail: [] }
  return { ...nothing, ownTokens: 0, isCut: false, isOpen: false, waitMs: 0, ...special }
}

/** The first `length` characters of a plan, or one less where that would cut a character in two. */
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
