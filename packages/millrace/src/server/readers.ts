import { MillraceError } from '../errors/index.ts'
import { SSE_HEADERS } from '../sse/index.ts'
import type { Store } from '../store/index.ts'
import { createOpenGoal, type Goal } from './goal.ts'
import { createPieceSource, toBody } from './piece-source.ts'
import { readFrames } from './read-frames.ts'
import type { Reading } from './run-context.ts'

/** What readers share. */
export interface ReadersOptions {
  readonly store: Store
  readonly heartbeatMs: number
  readonly stallTimeoutMs: number
  readonly maxReaders: number
  readonly onError: (error: unknown) => void
}

/** The open streams of a server. */
export interface Readers {
  /** A goal that is lost when the server closes: the reader stays across pauses and runs. */
  readonly endless: Goal
  /**
   * Answers with a stream of what `open` finds. Its place is taken before that is asked, so that no two take the
   * last one and nothing is done for a reader that cannot be served; it is given back when the stream is closed.
   */
  respond(request: Request, open: () => Promise<Reading>): Promise<Response>
  close(): void
}

/** Builds the readers of a server. */
export function createReaders(options: ReadersOptions): Readers {
  const { store, heartbeatMs, stallTimeoutMs, maxReaders, onError } = options
  const endless = createOpenGoal()
  let count = 0

  /** Gives what gives the place back, once. */
  const takePlace = (): (() => void) => {
    if (count >= maxReaders) throw tooManyReaders(maxReaders)
    count++
    let isTaken = true
    return () => {
      if (isTaken) count--
      isTaken = false
    }
  }

  const toStream = (reading: Reading, onClose: () => void): Response => {
    const source = createPieceSource({
      read: (signal) => readFrames({ ...reading, store, heartbeatMs, signal }),
      stallTimeoutMs,
      onError,
      onClose,
    })
    return new Response(toBody(source), { headers: SSE_HEADERS })
  }

  return {
    endless,
    respond: async ({ method }, open) => {
      const leave = takePlace()
      try {
        const response = toStream(await open(), leave)
        // The answer to a HEAD request is never read, and so never closed.
        if (method === 'HEAD') leave()
        return response
      } catch (error) {
        leave()
        throw error
      }
    },
    close: () => endless.lose(),
  }
}

function tooManyReaders(maxReaders: number): MillraceError {
  return new MillraceError(
    'overloaded',
    `The server has ${maxReaders} open streams, which is all it may; try again in a moment.`,
  )
}
