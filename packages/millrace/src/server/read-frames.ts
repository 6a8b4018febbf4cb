import { DONE_FRAME, encodeSse, frameLine, HEARTBEAT_FRAME } from '../sse/index.ts'
import type { LogEntry, Store } from '../store/index.ts'
import type { Goal } from './goal.ts'
import type { Pieces } from './piece-source.ts'
import { yieldToEventLoop } from './yield-to-event-loop.ts'

/** What to read and how. */
export interface ReadFramesOptions {
  readonly store: Store
  readonly session: string
  /** The cursor: what follows this id is read. */
  readonly after: number
  readonly goal: Goal
  readonly signal: AbortSignal
  readonly heartbeatMs: number
  /** How long clients should wait before they reconnect. */
  readonly retryMs?: number
  readonly pageEntries?: number
  /** What is ready together goes out in one piece, up to this size. */
  readonly maxPieceBytes?: number
}

const encoder = new TextEncoder()
const doneFrame = encoder.encode(DONE_FRAME)
const heartbeatFrame = encoder.encode(HEARTBEAT_FRAME)

/**
 * The frames of a session's log from a cursor to a goal, in pieces that are ready to be written. Ends after
 * `[DONE]`, or without it when the signal aborts or the goal is lost.
 */
export async function* readFrames(options: ReadFramesOptions): Pieces {
  const { store, session, goal, signal } = options
  const { retryMs = 1000, pageEntries = 256, maxPieceBytes = 32_768 } = options
  let after = options.after
  yield encoder.encode(encodeSse({ retryMs }))
  while (!signal.aborted) {
    // Asked before the page is read: what the goal promises is then in the store already.
    const lastId = goal.lastId()
    const isLost = goal.isLost()
    const limit = Math.min(pageEntries, (lastId ?? Infinity) - after)
    const page = limit > 0 ? await store.read(session, after, limit) : []
    yield* toPieces(page, maxPieceBytes)
    after = page.at(-1)?.id ?? after
    if (after === lastId) return yield doneFrame
    if (page.length === pageEntries) await yieldToEventLoop()
    if (page.length > 0) continue
    if (isLost || lastId !== undefined) return
    if (!(await waitForNews(options, after))) yield heartbeatFrame
  }
}

/** Joins frames into few pieces, because most of the cost of sending is per write. */
function* toPieces(page: readonly LogEntry[], maxBytes: number): Generator<Uint8Array> {
  let frames: Uint8Array[] = []
  let bytes = 0
  for (const { id, line } of page) {
    const frame = frameLine(id, line)
    if (bytes > 0 && bytes + frame.length > maxBytes) {
      yield concatenate(frames, bytes)
      frames = []
      bytes = 0
    }
    frames.push(frame)
    bytes += frame.length
  }
  if (bytes > 0) yield concatenate(frames, bytes)
}

function concatenate(frames: readonly Uint8Array[], bytes: number): Uint8Array {
  const [only] = frames
  if (only !== undefined && frames.length === 1) return only
  const piece = new Uint8Array(bytes)
  let offset = 0
  for (const frame of frames) {
    piece.set(frame, offset)
    offset += frame.length
  }
  return piece
}

/** Resolves with true when something has happened, with false when it is time for a heartbeat. */
async function waitForNews(options: ReadFramesOptions, after: number): Promise<boolean> {
  const { store, session, goal, signal, heartbeatMs } = options
  const pause = new AbortController()
  let isIdle = false
  const stop = (): void => pause.abort()
  const timer = setTimeout(() => {
    isIdle = true
    stop()
  }, heartbeatMs)
  signal.addEventListener('abort', stop, { once: true })
  const unsubscribe = goal.onChange(stop)
  try {
    // The goal may have been reached while the page was read.
    if (goal.lastId() !== undefined || goal.isLost() || signal.aborted) return true
    await store.wait(session, after, pause.signal)
  } catch (error) {
    if (!pause.signal.aborted) throw error
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', stop)
    unsubscribe()
  }
  return !isIdle
}
