import type { ApiError } from '../api-error.ts'

/** One frame of a stream before it is written as bytes. */
export interface WireFrame {
  /** The name of the event; a dialect without names has none. */
  readonly event?: string
  readonly data: string
  /** How long the model takes to say it. */
  readonly tokens: number
  /** A wait before it, at natural pace: a tool of the provider works. */
  readonly waitMs?: number
  /** Silence before it, whatever the pace. */
  readonly stallMs?: number
}

/** Where a stream breaks: what would follow is never sent. */
export interface StreamBreak {
  readonly breaks: 'cut' | 'end'
}

/** A stream as its API would send it, and what is needed to break it. */
export interface WireStream {
  readonly frames: () => Iterable<WireFrame>
  /** The same answer once more, under another id. */
  readonly retold: () => Iterable<WireFrame>
  readonly toErrorFrame: (error: ApiError) => WireFrame
  readonly pingFrame: WireFrame
}

/** Tells a break from a frame. */
export function isBreak(item: WireFrame | StreamBreak): item is StreamBreak {
  return 'breaks' in item
}
