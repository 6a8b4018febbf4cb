/** A stretch of time; one that has not ended ends where asked. */
export interface Stretch {
  readonly start: number
  readonly end: number | undefined
}

/** How much time stretches cover together: where several overlap it counts once. */
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
