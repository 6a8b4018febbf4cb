import { agentOf } from 'millrace'
import type { BlockPlace } from './find-block.ts'
import type { Moments } from './moments.ts'

/**
 * Returns the index of a block's first frame, or of the first one that is kept. It is found by a binary search over
 * moments and not stored.
 */
export function findFirstFrame(
  moments: Pick<Moments, 'transcriptAt' | 'earliest'>,
  total: number,
  { agent, position }: BlockPlace,
  key: number,
): number {
  // A block that exists now has existed since its first frame.
  const isPresent = (count: number): boolean =>
    agentOf(moments.transcriptAt(count), agent)?.blocks.at(position)?.key === key
  let low = moments.earliest()
  let high = total
  while (low < high) {
    const middle = (low + high) >> 1
    if (isPresent(middle)) high = middle
    else low = middle + 1
  }
  return Math.max(moments.earliest(), low - 1)
}
