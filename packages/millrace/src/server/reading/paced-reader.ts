import { DONE_FRAME, encodeSse, HEARTBEAT_FRAME } from '../../sse/index.ts'
import { callApart } from '../../streams/index.ts'
import type { Completion } from './completion.ts'
import type { ChunkReader } from './chunk-source.ts'

/** Timing of the frames with which `millrace doctor` measures the path to the reader. */
interface Pacing {
  /** Number of frames; their ids are 1, 2, 3 … */
  readonly frames: number
  readonly intervalMs: number
  /** A pause before the last frame. */
  readonly idleMs: number
  /** Interval of comments during that pause; 0 disables them. */
  readonly heartbeatMs: number
  /** Padding of each frame, against proxies that buffer until they have enough bytes. */
  readonly padBytes: number
}

/** Options of a paced reader. */
export interface PacedReaderOptions extends Pacing {
  /** The id of the last frame that the reader has. */
  readonly after: number
  /** Data of the first frame, which has no id. */
  readonly greeting: object
  /** The stream ends when this is interrupted. */
  readonly completion: Completion
  /** Wall-clock time, sent in each frame. */
  readonly now: () => number
  /** Monotonic clock that paces the frames. */
  readonly elapsed?: () => number
}

interface Step {
  readonly dueMs: number
  readonly toFrame: (elapsedMs: number) => string
}

const encoder = new TextEncoder()

/** Sends frames at a fixed pace, each with its send time, so that the reader can measure delays added on the way. */
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
      if (completion.isInterrupted()) settle()
    },
    isOver: () => isClosed || completion.isInterrupted() || next >= steps.length,
    close: () => {
      isClosed = true
      wake()
    },
  }
}

/** Lists the remaining frames and comments with their times. */
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
