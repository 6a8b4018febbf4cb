import type { ApiError } from '../routes/api-error.ts'

/** One frame of a stream before it is encoded as bytes. */
export interface WireFrame {
  /** Event name; undefined in a protocol without event names. */
  readonly event?: string
  readonly data: string
  /** Number of tokens, which determines the time to the next frame. */
  readonly tokens: number
  /** Delay before the frame while a tool of the provider runs, scaled by the pace. */
  readonly waitMs?: number
  /** Delay before the frame that no pace shortens. */
  readonly stallMs?: number
}

/** The position at which the connection of a stream fails; later frames are never sent. */
export interface StreamBreak {
  readonly breaks: 'cut' | 'end'
}

/** A stream of an API, with the frames that faults need. */
export interface WireStream {
  readonly frames: () => Iterable<WireFrame>
  /** Creates the frames of the same answer again, with another message id. */
  readonly copyFrames: () => Iterable<WireFrame>
  readonly toErrorFrame: (error: ApiError) => WireFrame
  readonly pingFrame: WireFrame
}

/** Checks whether an item is such a position. */
export function isBreak(item: WireFrame | StreamBreak): item is StreamBreak {
  return 'breaks' in item
}
