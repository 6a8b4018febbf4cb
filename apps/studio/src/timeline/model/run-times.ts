import type { Run } from './timeline.ts'

/** How many frames had come, from the first of all, when so much of a run had passed. */
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

/** How much of a run had passed after so many frames; undefined if that moment is in another run. */
export function timeAt(
  { firstIndex, times }: Pick<Run, 'firstIndex' | 'times'>,
  count: number,
): number | undefined {
  if (count < firstIndex || count > firstIndex + times.length) return undefined
  return count === firstIndex ? 0 : times[count - firstIndex - 1]
}
