import type { Run } from './timeline.ts'

/** Returns the number of frames up to a time of a run, counted from the first frame of the session. */
export function countAt(
  { firstIndex, times }: Pick<Run, 'firstIndex' | 'times'>,
  at: number,
): number {
  let low = 0
  let high = times.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((times[middle] ?? Infinity) <= at) low = middle + 1
    else high = middle
  }
  return firstIndex + low
}

/** Returns the time of a run after a number of frames; undefined if that moment is in another run. */
export function timeAt(
  { firstIndex, times }: Pick<Run, 'firstIndex' | 'times'>,
  count: number,
): number | undefined {
  if (count < firstIndex || count > firstIndex + times.length) return undefined
  return count === firstIndex ? 0 : times[count - firstIndex - 1]
}
