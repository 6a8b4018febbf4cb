/**
 * A moment by two clocks. A process that was stopped sees both go on; a machine that was suspended may have stopped the
 * monotonic one, and the wall clock may be set at any time.
 */
export interface Moment {
  readonly monotonic: number
  readonly wall: number
}

/** The present moment. */
export function currentMoment(): Moment {
  return { monotonic: performance.now(), wall: Date.now() }
}

/** How long ago a moment was, by the clock that makes it longer; a clock that was set back counts as well. */
export function ageOf({ monotonic, wall }: Moment, now = currentMoment()): number {
  return Math.max(now.monotonic - monotonic, Math.abs(now.wall - wall))
}
