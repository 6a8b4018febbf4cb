import { sleep } from '../streams/sleep.ts'
import { createConnectionCut } from './faults/apply-byte-faults.ts'
import type { Random } from './random.ts'

/** Speed of a scripted model. */
export interface Pace {
  readonly tokensPerSecond: number
  /** Delay before the first delta. */
  readonly firstTokenMs: number
  /** Maximum deviation of a gap, as a fraction of the gap; default: 0, a constant rate. */
  readonly jitter?: number
  /** Whether late frames are sent together; if false, each is sent alone, however late it is. */
  readonly catchUp?: boolean
}

/** Approximate speed of a hosted model. */
export const naturalPace: Pace = { tokensPerSecond: 60, firstTokenMs: 300, jitter: 0.5 }

/** A frame and the time before it. */
export interface PacedFrame {
  readonly frame: string
  readonly tokens: number
  /** Delay before the frame, scaled by the pace. */
  readonly waitMs?: number
  /** Delay before the frame that no pace shortens. */
  readonly stallMs?: number
  /** The connection fails at this frame. */
  readonly isCut?: boolean
}

interface PaceOptions {
  readonly pace: Pace | 'instant'
  /** Factor on the speed of the pace. */
  readonly speed?: number
  readonly random: Random
  readonly signal: AbortSignal
}

/** Maximum length of a chunk, so that an instant stream still arrives in several chunks. */
const maxChunkChars = 16 * 1024

/** A fast stream arrives in bursts, as over a network: a timer for each frame would cost more than the frame. */
const minWaitMs = 4

/**
 * Yields frames when they are due, in one chunk if several are due together. Gaps are measured from the start, so
 * that late timers do not slow the stream. Ends early when `signal` aborts, and throws at a cut.
 */
export async function* paceFrames(
  frames: Iterable<PacedFrame>,
  options: PaceOptions,
): AsyncGenerator<string, void, undefined> {
  const { signal } = options
  const clock = createClock(options)
  let ready = ''
  for (const { frame, tokens, waitMs = 0, stallMs = 0, isCut = false } of frames) {
    const delayMs = clock.advance(tokens, waitMs, stallMs)
    if ((delayMs > 0 || isCut) && ready !== '') {
      yield ready
      ready = ''
    }
    if (isCut) throw createConnectionCut()
    if (delayMs > 0) await sleep(delayMs, signal)
    if (signal.aborted) return
    ready += frame
    if (ready.length < maxChunkChars) continue
    yield ready
    ready = ''
  }
  if (ready !== '') yield ready
}

/** Creates a function that returns the delay before each frame. */
function createClock({ pace, speed = 1, random }: PaceOptions) {
  const start = performance.now()
  let dueMs = pace === 'instant' ? 0 : pace.firstTokenMs / speed

  function paced(tokens: number, workMs: number): number {
    if (pace === 'instant' || (tokens === 0 && workMs === 0)) return 0
    const now = performance.now() - start
    if (workMs > 0) dueMs = Math.max(dueMs, now) + workMs / speed
    const isAlone = pace.catchUp === false && tokens > 0
    if (isAlone) dueMs = Math.max(dueMs, now + minWaitMs)
    const delayMs = dueMs - now
    if (tokens > 0) dueMs += (tokens * gapMs(pace, random)) / speed
    return delayMs > 0 ? Math.max(delayMs, minWaitMs) : 0
  }

  return {
    advance(tokens: number, waitMs: number, stallMs: number): number {
      const delayMs = paced(tokens, waitMs)
      dueMs += stallMs
      return delayMs + stallMs
    },
  }
}

function gapMs({ tokensPerSecond, jitter = 0 }: Pace, random: Random): number {
  return (1000 / tokensPerSecond) * (1 + jitter * (random.next() * 2 - 1))
}
