import { agentOf } from 'millrace'
import type { BlockPlace } from './find-block.ts'
import type { Moments } from './moments.ts'

/**
 * The index of the frame that a block began with, or of the first one that is kept. Nobody notes that as frames come:
 * the few moments that halving asks for are read when someone wants to know.
 */
export function findFirstFrame(
  moments: Pick<Moments, 'transcriptAt' | 'earliest'>,
  total: number,
  { agent, position }: BlockPlace,
  key: number,
): number {
  // A block that is there now was there in every moment since it began.
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
