import { DONE_FRAME, encodeSse, HEARTBEAT_FRAME } from '../sse/index.ts'
import type { Store } from '../store/index.ts'
import type { Feeds } from './feeds/feeds.ts'
import { createPageReader } from './feeds/page-reader.ts'
import { createPieceMaker, type PieceMakerOptions } from './feeds/piece-maker.ts'
import type { Seat } from './feeds/seat.ts'
import type { Goal } from './goal.ts'
import type { Pieces } from './piece-source.ts'
import { findPayloadStart } from './views/payload-start.ts'
import { yieldToEventLoop } from './yield-to-event-loop.ts'

/** What to read and how. */
export interface ReadFramesOptions extends PieceMakerOptions {
  readonly store: Store
  readonly feeds: Feeds
  readonly goal: Goal
  readonly signal: AbortSignal
  /** How long clients should wait before they reconnect. */
  readonly retryMs?: number
  /** What is ready together goes out in one piece, up to about this size. */
  readonly maxPieceBytes?: number
}

const encoder = new TextEncoder()
const doneFrame = encoder.encode(DONE_FRAME)
const heartbeatFrame = encoder.encode(HEARTBEAT_FRAME)

/**
 * The frames of a session's log from a cursor to a goal, in pieces that are ready to be written. What is older is
 * read from the store; what is new comes from the session's feed. Ends after `[DONE]`, or without it when the signal
 * aborts or the goal is lost.
 */
export async function* readFrames(options: ReadFramesOptions): Pieces {
  const { store, session, goal, signal, view, retryMs = 1000, maxPieceBytes = 32_768 } = options
  const readPage = createPageReader({ store, session, maxBytes: maxPieceBytes })
  const maker = createPieceMaker(options)
  yield encoder.encode(encodeSse({ retryMs }))
  let after = view ? await findPayloadStart(store, view, options.after) : options.after
  let seat: TakenSeat | undefined
  try {
    while (!signal.aborted) {
      // Asked before the log is: what the goal promises is then in the store already.
      const lastId = goal.lastId()
      const isLost = goal.isLost()
      if (after === lastId) {
        const rest = maker.flush(lastId)
        if (rest !== undefined) yield rest
        return yield doneFrame
      }
      const shared = seat?.take(after, lastId ?? Infinity)
      let piece = shared && maker.fromFeed(shared)
      if (shared !== undefined) after = shared.lastId
      else if (seat !== undefined && after >= seat.tail() && !isLost) {
        if ((await seat.wait()) === 'quiet') piece = heartbeatFrame
      } else {
        const { entries, isLast } = await readPage(after, lastId ?? Infinity)
        piece = maker.fromStore(entries, seat?.dropped())
        after = entries.at(-1)?.id ?? after
        if (!isLast) await yieldToEventLoop()
        else if (entries.length === 0 && (isLost || lastId !== undefined)) return
        else if (seat === undefined) seat = takeSeat(options, after)
        else if (entries.length === 0) await seat.wait()
      }
      if (piece !== undefined) yield piece
    }
  } finally {
    seat?.leave()
  }
}

type TakenSeat = Pick<Seat, 'take' | 'tail' | 'dropped' | 'wait' | 'leave'>

/** Takes a place at the feed of the session, in which a reader is also woken when its goal changes or it is cut. */
function takeSeat({ feeds, session, goal, signal }: ReadFramesOptions, after: number): TakenSeat {
  const { wake, leave, ...seat } = feeds.join(session, after)
  const unsubscribe = goal.onChange(wake)
  signal.addEventListener('abort', wake, { once: true })
  return {
    ...seat,
    leave: () => {
      unsubscribe()
      signal.removeEventListener('abort', wake)
      leave()
    },
  }
}
