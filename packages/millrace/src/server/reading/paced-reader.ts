import { DONE_FRAME, encodeSse, HEARTBEAT_FRAME } from '../../sse/index.ts'
import { callApart } from '../../streams/index.ts'
import type { Completion } from './completion.ts'
import type { ChunkReader } from './chunk-source.ts'

/** How frames are spaced whose way to the reader is measured. */
export interface Pacing {
  /** How many there are; their ids are 1, 2, 3 … */
  readonly frames: number
  readonly intervalMs: number
  /** A pause before the last one. */
  readonly idleMs: number
  /** How often a comment is sent in that pause; 0 is never. */
  readonly heartbeatMs: number
  /** What each frame is filled up with, for those who hold frames back until there are enough bytes. */
  readonly padBytes: number
}

/** What frames are made from. */
export interface PacedReaderOptions extends Pacing {
  /** The id of the last frame that the reader has. */
  readonly after: number
  /** What is told first, in a frame of its own without an id. */
  readonly greeting: object
  /** When it is lost, the stream is over. */
  readonly completion: Completion
  /** The time of the day, which each frame tells. */
  readonly now: () => number
  /** A clock that no one sets, by which frames are paced. */
  readonly elapsed?: () => number
}

interface Step {
  readonly dueMs: number
  readonly toFrame: (elapsedMs: number) => string
}

const encoder = new TextEncoder()

/** Frames at a fixed pace, each of which tells when it was made: what a reader sees of that pace, the way has done. */
export function createPacedReader(options: PacedReaderOptions): ChunkReader {
  const { greeting, completion, elapsed = () => performance.now() } = options
  const steps = toSteps(options)
  const startedAt = elapsed()
  const elapsedMs = (): number => Math.round(elapsed() - startedAt)
  const first = encodeSse({ event: 'request', data: JSON.stringify(greeting) })
  let next = -1
  let isClosed = false
  let wake = (): void => {}

  return {
    take: () => {
      if (next === -1) {
        next = 0
        return { bytes: encoder.encode(first) }
      }
      const step = steps[next]
      if (step === undefined || isClosed || elapsedMs() < step.dueMs) return undefined
      next++
      return { bytes: encoder.encode(step.toFrame(elapsedMs())) }
    },
    wait: (onReady) => {
      const settle = (): void => {
        clearTimeout(timer)
        unsubscribe()
        wake = () => {}
        callApart(onReady)
      }
      const timer = setTimeout(settle, Math.max(1, (steps[next]?.dueMs ?? 0) - elapsedMs()))
      const unsubscribe = completion.onChange(settle)
      wake = settle
      if (completion.isLost()) settle()
    },
    isOver: () => isClosed || completion.isLost() || next >= steps.length,
    close: () => {
      isClosed = true
      wake()
    },
  }
}

/** All that is still to be sent, in order, with the time for each. */
function toSteps({ after, now, ...pacing }: PacedReaderOptions): readonly Step[] {
  const { frames, intervalMs, idleMs, heartbeatMs, padBytes } = pacing
  const pad = 'x'.repeat(padBytes)
  const steps: Step[] = []
  let dueMs = 0
  for (let id = after + 1; id <= frames; id++) {
    if (id > after + 1) dueMs += intervalMs
    if (id === frames) {
      steps.push(...toHeartbeats(dueMs, idleMs, heartbeatMs))
      dueMs += idleMs
    }
    const toFrame = (elapsedMs: number): string => {
      const data = { frame: id, of: frames, elapsed_ms: elapsedMs, time_ms: now() }
      return encodeSse({ id, data: JSON.stringify(padBytes > 0 ? { ...data, pad } : data) })
    }
    steps.push({ dueMs, toFrame })
  }
  return [...steps, { dueMs, toFrame: () => DONE_FRAME }]
}

function toHeartbeats(startMs: number, idleMs: number, heartbeatMs: number): readonly Step[] {
  if (heartbeatMs === 0) return []
  const count = Math.max(0, Math.ceil(idleMs / heartbeatMs) - 1)
  return Array.from({ length: count }, (_, index) => ({
    dueMs: startMs + (index + 1) * heartbeatMs,
    toFrame: () => HEARTBEAT_FRAME,
  }))
}
