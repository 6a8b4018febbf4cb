import type { Random } from './random.ts'
import { sleep } from './sleep.ts'

/** How fast a scripted model speaks. */
export interface Pace {
  readonly tokensPerSecond: number
  /** The wait before the first delta. */
  readonly firstTokenMs: number
  /** How far each gap may be off, as a part of it: 0 is a metronome. */
  readonly jitter: number
}

/** About the speed of a hosted model. */
export const naturalPace: Pace = { tokensPerSecond: 60, firstTokenMs: 300, jitter: 0.5 }

/** Something to be sent, and how many tokens the model takes to say it. */
export interface PacedFrame {
  readonly frame: string
  readonly tokens: number
}

/** What is sent at once at most, so that an instant stream still comes in pieces. */
const maxChunkChars = 16 * 1024

/** A fast stream comes in bursts, as it does over a network: a timer for each frame would cost more than the frame. */
const minWaitMs = 4

/**
 * Yields frames at their time, those that are due together in one piece. Gaps are counted from the start, so
 * that late timers do not slow the stream; it ends early when `signal` aborts.
 */
export async function* paceFrames(
  frames: Iterable<PacedFrame>,
  { pace, random, signal }: { pace: Pace | 'instant'; random: Random; signal: AbortSignal },
): AsyncGenerator<string, void, undefined> {
  const start = performance.now()
  let dueMs = pace === 'instant' ? 0 : pace.firstTokenMs
  let ready = ''
  for (const { frame, tokens } of frames) {
    if (pace !== 'instant' && tokens > 0) {
      const waitMs = start + dueMs - performance.now()
      if (waitMs > 0) {
        if (ready !== '') yield ready
        ready = ''
        await sleep(Math.max(waitMs, minWaitMs), signal)
      }
      dueMs += tokens * gapMs(pace, random)
    }
    if (signal.aborted) return
    ready += frame
    if (ready.length < maxChunkChars) continue
    yield ready
    ready = ''
  }
  if (ready !== '') yield ready
}

function gapMs({ tokensPerSecond, jitter }: Pace, random: Random): number {
  return (1000 / tokensPerSecond) * (1 + jitter * (random.next() * 2 - 1))
}
