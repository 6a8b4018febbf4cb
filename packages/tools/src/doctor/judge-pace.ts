/** The times of sending and of arrival; the two clocks need not agree. */
export interface Timed {
  readonly elapsedMs: number
  readonly arrivedMs: number
}

/** The pace at which frames arrived. */
export interface Pace {
  /** The delay of each frame compared with the fastest one. */
  readonly lagsMs: readonly number[]
  readonly worstLagMs: number
  /** The numbers of frames that arrived together, in order. */
  readonly lumps: readonly number[]
  /** Whether frames were held back, and not just a few late. */
  readonly isHeld: boolean
}

/** Thresholds of late and of joint arrival. */
interface PaceOptions {
  /** A frame that takes this much longer than the fastest one was held. */
  readonly holdMs: number
  /** Frames that arrive within this time of each other arrived together. */
  readonly lumpMs?: number
}

/** Share of frames that must be held; one frame may be late on any network. */
const heldShare = 0.25

/** Compares the delays of frames. A constant difference between the clocks does not matter. */
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
