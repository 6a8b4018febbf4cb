/** An interval; an open one ends at a given time. */
export interface Stretch {
  readonly start: number
  readonly end: number | undefined
}

/** Returns the time that intervals cover; overlaps count once. */
export function timeCovered(stretches: readonly Stretch[], until: number): number {
  let covered = 0
  let reached = -Infinity
  for (const { start, end = until } of stretches.toSorted(byStart)) {
    const from = Math.max(start, reached)
    if (end <= from) continue
    covered += end - from
    reached = end
  }
  return covered
}

function byStart(one: Stretch, other: Stretch): number {
  return one.start - other.start
}
