/** When something was sent and when it came; the two clocks need not agree. */
export interface Timed {
  readonly elapsedMs: number
  readonly arrivedMs: number
}

/** What the way has done to the pace of frames. */
export interface Pace {
  /** How long each frame took longer than the fastest one. */
  readonly lagsMs: readonly number[]
  readonly worstLagMs: number
  /** How many frames came together, in order. */
  readonly lumps: readonly number[]
  /** Whether frames were held back, and not just some of them late. */
  readonly isHeld: boolean
}

/** What counts as late, and as together. */
export interface PaceOptions {
  /** A frame that takes so much longer than the fastest one was held. */
  readonly holdMs: number
  /** Frames that come within this time of each other came together. */
  readonly lumpMs?: number
}

/** So much of a stream must have been held; one frame may be late on any network. */
const heldShare = 0.25

/** Compares how frames came with how they were sent: a difference between clocks is the same for all, and so does not count. */
export function judgePace(frames: readonly Timed[], { holdMs, lumpMs = 60 }: PaceOptions): Pace {
  const delays = frames.map(({ elapsedMs, arrivedMs }) => arrivedMs - elapsedMs)
  const fastest = Math.min(...delays)
  const lagsMs = delays.map((delay) => delay - fastest)
  const held = lagsMs.filter((lag) => lag >= holdMs).length
  return {
    lagsMs,
    worstLagMs: Math.max(0, ...lagsMs),
    lumps: toLumps(frames, lumpMs),
    isHeld: held >= Math.max(2, frames.length * heldShare),
  }
}

function toLumps(frames: readonly Timed[], lumpMs: number): readonly number[] {
  const lumps: number[] = []
  for (const [index, { arrivedMs }] of frames.entries()) {
    const before = frames[index - 1]
    if (before !== undefined && arrivedMs - before.arrivedMs < lumpMs) {
      lumps.push((lumps.pop() ?? 0) + 1)
    } else lumps.push(1)
  }
  return lumps
}
