import { createTranscript } from 'millrace'
import type { Transcript } from 'millrace'
import type { FrameLogSnapshot } from './frame-log.ts'
import { reduceFrame } from './reduce-frame.ts'

/** Transcripts after any number of frames. */
export interface Moments {
  /** Offers the transcript after a number of frames; only some are kept. */
  readonly keep: (count: number, transcript: Transcript) => void
  /** Returns the transcript after a number of frames, or the earliest available one. */
  readonly transcriptAt: (count: number) => Transcript
  /** Returns the smallest available count; dropped frames cannot be read again. */
  readonly earliest: () => number
}

interface MomentsOptions {
  readonly getFrames: () => Pick<FrameLogSnapshot, 'frames' | 'total'>
  /** The minimum number of frames between two kept transcripts. */
  readonly interval?: number
}

interface Kept {
  readonly count: number
  readonly transcript: Transcript
}

/**
 * Creates an empty history of transcripts. Transcripts share unchanged parts, so keeping one every few hundred frames
 * is cheap; others are reduced from the one before.
 */
export function createMoments({ getFrames, interval = 256 }: MomentsOptions): Moments {
  let kept: Kept[] = [{ count: 0, transcript: createTranscript() }]
  let latest: Kept | undefined

  const firstIndex = (): number => getFrames().frames[0]?.index ?? 0

  function forget(): void {
    const first = firstIndex()
    // The frames after the older transcripts are gone.
    if ((kept[0]?.count ?? 0) < first) kept = kept.filter(({ count }) => count >= first)
  }

  function nearest(count: number): Kept | undefined {
    forget()
    const found = kept[countUpTo(kept, count) - 1] ?? kept[0] ?? latest
    // Playing on from the last moment is the most frequent case.
    const isNearer = latest && latest.count <= count && latest.count >= firstIndex()
    return isNearer && latest && latest.count > (found?.count ?? -1) ? latest : found
  }

  return {
    keep(count, transcript) {
      const last = kept.at(-1)?.count ?? -interval
      if (count - last >= interval) kept.push({ count, transcript })
    },
    earliest() {
      forget()
      return kept[0]?.count ?? getFrames().total
    },
    transcriptAt(count) {
      const from = nearest(count)
      if (!from) return createTranscript()
      const { frames } = getFrames()
      const first = firstIndex()
      const end = Math.min(count, first + frames.length)
      let { transcript } = from
      for (let index = from.count; index < end; index++) {
        const frame = frames[index - first]
        if (frame) transcript = reduceFrame(transcript, frame)
      }
      latest = { count: Math.max(from.count, end), transcript }
      return transcript
    },
  }
}

/** Counts the kept transcripts at or before a count. */
function countUpTo(kept: readonly Kept[], count: number): number {
  let low = 0
  let high = kept.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((kept[middle]?.count ?? Infinity) <= count) low = middle + 1
    else high = middle
  }
  return low
}
