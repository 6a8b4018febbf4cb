import { createTranscript } from 'millrace'
import type { Transcript } from 'millrace'
import type { FrameLogSnapshot } from './frame-log.ts'
import { createFrameReducer } from './reduce-frame.ts'
import type { FrameReducer } from './reduce-frame.ts'

/** Transcripts as they were after any frame. */
export interface Moments {
  /** Takes the transcript after so many frames; most of them are not kept. */
  readonly keep: (count: number, transcript: Transcript) => void
  /** The transcript after so many frames, counted from the first of all; as early as it can be known. */
  readonly transcriptAt: (count: number) => Transcript
  /** The smallest count that can be shown: frames that are dropped cannot be read again. */
  readonly earliest: () => number
}

interface MomentsOptions {
  readonly getFrames: () => Pick<FrameLogSnapshot, 'frames' | 'total'>
  /** How many frames lie between two transcripts that are kept, at least. */
  readonly interval?: number
  readonly createReducer?: () => FrameReducer
}

interface Kept {
  readonly count: number
  readonly transcript: Transcript
}

/**
 * Creates a memory of moments. Transcripts share what did not change, so one of them every few hundred frames costs
 * little; others are reduced from the one before.
 */
export function createMoments({
  getFrames,
  interval = 256,
  createReducer = createFrameReducer,
}: MomentsOptions): Moments {
  let kept: Kept[] = [{ count: 0, transcript: createTranscript() }]
  let latest: Kept | undefined

  const firstIndex = (): number => getFrames().frames[0]?.index ?? 0

  function forget(): void {
    const first = firstIndex()
    // The frames behind the older ones are gone.
    if ((kept[0]?.count ?? 0) < first) kept = kept.filter(({ count }) => count >= first)
  }

  function nearest(count: number): Kept | undefined {
    forget()
    const found = kept[countUpTo(kept, count) - 1] ?? kept[0] ?? latest
    // Playing on from the moment that was shown last is the most frequent way.
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
      const reduce = createReducer()
      let { transcript } = from
      for (let index = from.count; index < end; index++) {
        const frame = frames[index - first]
        if (frame) transcript = reduce(transcript, frame)
      }
      latest = { count: Math.max(from.count, end), transcript }
      return transcript
    },
  }
}

/** How many of the kept moments lie at or before a count. */
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
