import { MillraceError } from '../errors/index.ts'
import { SSE_HEADERS } from '../sse/index.ts'
import type { Store } from '../store/index.ts'
import { createOpenGoal, type Goal } from './goal.ts'
import type { ReportError } from './handler-options.ts'
import { createPlaces } from './places.ts'
import { createPieceSource, toBody } from './piece-source.ts'
import { readFrames } from './read-frames.ts'
import type { Reading } from './run-context.ts'
import type { ServerObserver } from './server-observer.ts'

/** What readers share. */
export interface ReadersOptions {
  readonly store: Store
  readonly heartbeatMs: number
  readonly stallTimeoutMs: number
  readonly maxReaders: number
  readonly maxReadersPerPrincipal: number
  readonly onError: ReportError
  readonly observer: Required<ServerObserver>
}

/** The open streams of a server. */
export interface Readers {
  /** A goal that is lost when the server closes: the reader stays across pauses and runs. */
  readonly endless: Goal
  /**
   * Answers with a stream of what `open` finds. Its place is taken before that is asked, so that no two take the
   * last one and nothing is done for a reader that cannot be served; it is given back when the stream is closed.
   * `principal` is on whose behalf the stream is read.
   */
  respond(request: Request, open: () => Promise<Reading>, principal?: string): Promise<Response>
  /** How many are open. */
  count(): number
  close(): void
}

/** Builds the readers of a server. */
export function createReaders(options: ReadersOptions): Readers {
  const { store, heartbeatMs, stallTimeoutMs, maxReaders, onError, observer } = options
  const endless = createOpenGoal()
  const ownPlaces = createPlaces(options.maxReadersPerPrincipal, tooManyOwnReaders)
  let count = 0

  /** Gives what gives the place back, once. */
  const takePlace = (principal: string | undefined): (() => void) => {
    if (count >= maxReaders) throw tooManyReaders(maxReaders)
    const leaveOwn = ownPlaces.take(principal)
    count++
    let isTaken = true
    return () => {
      if (isTaken) count--
      isTaken = false
      leaveOwn()
    }
  }

  /** Tells that a reader is there; gives what tells that it has gone, once. */
  const announce = (session: string): (() => void) => {
    const openedAt = performance.now()
    let isOpen = true
    observer.readerOpened(session)
    return () => {
      if (isOpen) observer.readerClosed({ session, durationMs: performance.now() - openedAt })
      isOpen = false
    }
  }

  const toStream = (reading: Reading, leave: () => void): Response => {
    const { session } = reading
    const goAway = announce(session)
    const source = createPieceSource({
      read: (signal) => readFrames({ ...reading, store, heartbeatMs, signal }),
      stallTimeoutMs,
      onError: (error) => onError(error, { session }),
      onClose: () => {
        leave()
        goAway()
      },
    })
    return new Response(toBody(source), { headers: SSE_HEADERS })
  }

  return {
    endless,
    respond: async ({ method }, open, principal) => {
      const leave = takePlace(principal)
      try {
        const reading = await open()
        // The answer to a HEAD request is never read, and so never closed.
        if (method !== 'HEAD') return toStream(reading, leave)
        leave()
        return new Response(null, { headers: SSE_HEADERS })
      } catch (error) {
        leave()
        throw error
      }
    },
    count: () => count,
    close: () => endless.lose(),
  }
}

function tooManyReaders(maxReaders: number): MillraceError {
  return new MillraceError(
    'overloaded',
    `The server has ${maxReaders} open streams, which is all it may; try again in a moment.`,
  )
}

function tooManyOwnReaders(max: number): MillraceError {
  return new MillraceError(
    'too_many_requests',
    `You have ${max} open streams, which is all that one may; close one, or try again later.`,
  )
}
