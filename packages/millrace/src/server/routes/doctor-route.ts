import { DONE_FRAME, encodeSse, HEARTBEAT_FRAME } from '../../sse/index.ts'
import { callApart } from '../../streams/index.ts'
import type { ChunkReader } from '../reading/chunk-source.ts'
import type { Completion } from '../reading/completion.ts'
import { decodeCursor } from '../requests/cursor.ts'
import { checkAccess } from '../access/check-access.ts'
import type { ServerContext } from '../server-context.ts'
import { requestSchemas } from '../requests/decode-body.ts'
import { defineRoute } from './route.ts'

/** Headers of a client that a proxy may remove. */
const sentHeaders = ['accept', 'accept-encoding', 'authorization', 'last-event-id', 'origin']

/** Headers that proxies add. Only their names are reported, since their values reveal the client's address. */
const forwardingHeaders = [
  'cdn-loop',
  'cf-ray',
  'fly-request-id',
  'forwarded',
  'via',
  'x-amz-cf-id',
  'x-amzn-trace-id',
  'x-cloud-trace-context',
  'x-envoy-external-address',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-forwarded-server',
  'x-real-ip',
  'x-vercel-id',
]

/** Sends frames at a steady pace, with which `millrace doctor` measures the path to the server. */
export const doctorRoute = defineRoute({
  method: 'GET',
  path: '/doctor/stream',
  summary: 'Sends numbered frames at a steady pace, to measure the effect of proxies on a stream.',
  query: async () => (await requestSchemas()).doctorQuery,
  headers: {
    'Last-Event-ID': 'The id of the last frame that was read; takes precedence over `cursor`.',
  },
  answer: {
    description:
      'An event stream: `request` lists the headers that arrived, then each frame has its send time; it ends with `[DONE]`.',
    content: 'stream',
  },
  errors: ['bad_request', 'cursor_malformed', 'unsupported', 'overloaded'],
  handle: async (context, { request, query }) => {
    const { quotaKey } = await checkAccess(context, request, 'health', undefined)
    const { readers, heartbeatMs, now } = context
    const { after } = decodeCursor(request.headers.get('last-event-id') ?? undefined, query.cursor)
    const open = () =>
      createPacedReader({
        frames: query.frames,
        intervalMs: query.interval_ms,
        idleMs: query.idle_ms,
        heartbeatMs: query.heartbeat_ms ?? heartbeatMs,
        padBytes: query.pad_bytes,
        after,
        greeting: toGreeting(context, request, after),
        completion: readers.endless,
        now,
      })
    return readers.respondWith(request, open, quotaKey)
  },
})

function toGreeting(
  { heartbeatMs, version, now }: ServerContext,
  request: Request,
  after: number,
): object {
  const present = (names: readonly string[]) => names.filter((name) => request.headers.has(name))
  return {
    after,
    headers: present(sentHeaders),
    forwarded: present(forwardingHeaders),
    heartbeat_ms: heartbeatMs,
    time_ms: now(),
    ...(version !== undefined && { version }),
  }
}

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
