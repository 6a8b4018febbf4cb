import { MillraceError } from '../errors/index.ts'
import { SSE_HEADERS } from '../sse/index.ts'
import type { Store } from '../store/index.ts'
import { createOpenGoal, type Goal } from './goal.ts'
import { createPieceSource, type Pieces, toBody } from './piece-source.ts'
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
  /** Answers with a stream; call {@link Readers.checkRoom} before anything that cannot be undone. */
  respond(reading: Reading): Response
  checkRoom(): void
  close(): void
}

/** Builds the readers of a server. */
export function createReaders(options: ReadersOptions): Readers {
  const { store, heartbeatMs, stallTimeoutMs, maxReaders, onError } = options
  const endless = createOpenGoal()
  let count = 0

  /** A stream counts from its first piece on: the answer to a HEAD request is never read. */
  async function* counted(pieces: Pieces): Pieces {
    count++
    try {
      yield* pieces
    } finally {
      count--
    }
  }

  return {
    endless,
    respond: (reading) => {
      const source = createPieceSource({
        read: (signal) => counted(readFrames({ ...reading, store, heartbeatMs, signal })),
        stallTimeoutMs,
        onError,
      })
      return new Response(toBody(source), { headers: SSE_HEADERS })
    },
    checkRoom: () => {
      if (count >= maxReaders) throw tooManyReaders(maxReaders)
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
