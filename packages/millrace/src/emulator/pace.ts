import { sleep } from '../streams/index.ts'
import { createCut } from './faults/stream-cut.ts'
import type { Random } from './random.ts'

/** How fast a scripted model speaks. */
export interface Pace {
  readonly tokensPerSecond: number
  /** The wait before the first delta. */
  readonly firstTokenMs: number
  /** How far each gap may be off, as a part of it: 0, the default, is a metronome. */
  readonly jitter?: number
  /** Whether frames that are late are sent together; if false, each is sent alone, however busy the machine is. */
  readonly catchUp?: boolean
}

/** About the speed of a hosted model. */
export const naturalPace: Pace = { tokensPerSecond: 60, firstTokenMs: 300, jitter: 0.5 }

/** Something to be sent, and how many tokens the model takes to say it. */
export interface PacedFrame {
  readonly frame: string
  readonly tokens: number
  /** A wait before it that belongs to the pace. */
  readonly waitMs?: number
  /** A wait before it that no pace shortens. */
  readonly stallMs?: number
  /** The connection breaks here. */
  readonly isCut?: boolean
}

/** How frames are paced. */
export interface PaceOptions {
  readonly pace: Pace | 'instant'
  /** How many times as fast as the pace says. */
  readonly speed?: number
  readonly random: Random
  readonly signal: AbortSignal
}

/** What is sent at once at most, so that an instant stream still comes in pieces. */
const maxChunkChars = 16 * 1024

/** A fast stream comes in bursts, as it does over a network: a timer for each frame would cost more than the frame. */
const minWaitMs = 4

/**
 * Yields frames at their time, those that are due together in one piece. Gaps are counted from the start, so
 * that late timers do not slow the stream; it ends early when `signal` aborts, and throws where it is cut.
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
    if (isCut) throw createCut()
    if (delayMs > 0) await sleep(delayMs, signal)
    if (signal.aborted) return
    ready += frame
    if (ready.length < maxChunkChars) continue
    yield ready
    ready = ''
  }
  if (ready !== '') yield ready
}

/** Tells how long to wait before each frame. */
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
