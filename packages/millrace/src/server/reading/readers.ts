import type { Format } from '../../protocols/port/index.ts'
import { MillraceError } from '../../errors/index.ts'
import { SSE_HEADERS } from '../../sse/index.ts'
import type { Store } from '../../stores/port/index.ts'
import type { Feeds } from '../feeds/feeds.ts'
import { createCompletion, type Completion } from './completion.ts'
import type { ReportError } from '../handler-options.ts'
import { pinLog } from './pin-log.ts'
import { createQuota } from '../sessions/quota.ts'
import { createChunkSource, type ChunkReader, toBody } from './chunk-source.ts'
import type { ReadFramesOptions } from './log-reader.ts'
import { readFrames } from './read-frames.ts'
import { FORK_HEADER, LOG_HEADER } from '../requests/cursor.ts'
import { readLater } from './read-later.ts'
import { readSettled } from './read-settled.ts'
import { isReturningEventSource } from './returning-event-source.ts'
import type { LogRange } from '../runs/run-services.ts'
import type { ServerObserver } from '../server-observer.ts'
import type { ViewOf } from '../views/view-rules.ts'

/** What readers share. */
export interface ReadersOptions {
  readonly store: Store
  readonly feeds: Feeds
  /** What whoever sent a request may not see of a session. */
  readonly viewOf: ViewOf
  readonly maxLineBytes: number
  readonly heartbeatMs: number
  readonly stallTimeoutMs: number
  readonly maxReaders: number
  readonly maxReadersPerPrincipal: number
  readonly onError: ReportError
  readonly observer: Required<ServerObserver>
}

/** Who reads, and what. */
export interface ReaderIdentity {
  /** On whose behalf the stream is read, if that is known. */
  readonly principal: string | undefined
  /** The format, if it is not the log's own. */
  readonly dialect: Format | undefined
}

/** The open streams of a server. */
export interface Readers {
  /** A completion that is lost when the server closes: the reader stays across pauses and runs. */
  readonly endless: Completion
  /**
   * Answers with a stream of what `open` finds. Its place is taken before that is asked, so that no two take the
   * last one and nothing is done for a reader that cannot be served; it is given back when the stream is closed.
   */
  respond(
    request: Request,
    open: () => Promise<LogRange>,
    subscription: ReaderIdentity,
  ): Promise<Response>
  /** Answers with a stream that is no session's, which takes a place all the same. */
  respondWith(request: Request, open: () => ChunkReader, principal?: string): Response
  /** How many are open. */
  count(): number
  close(): void
}

/** Builds the readers of a server. */
export function createReaders(options: ReadersOptions): Readers {
  const { stallTimeoutMs, onError, observer, viewOf } = options
  const endless = createCompletion()
  const { takeQuota, count } = createReaderQuota(options)

  const toStream = (range: ViewedRange, leave: () => void): Response => {
    const { session } = range
    const openedAt = performance.now()
    observer.readerOpened(session)
    const source = createChunkSource({
      reader: openReader(options, range, endless),
      stallTimeoutMs,
      onError: (error) => onError(error, { session }),
      onClose: () => {
        leave()
        observer.readerClosed({ session, durationMs: performance.now() - openedAt })
      },
    })
    return new Response(toBody(source), { headers: headersOf(range) })
  }

  return {
    endless,
    respond: async (request, open, { principal, dialect }) => {
      const leave = takeQuota(principal)
      try {
        const range = await open()
        const isOver = range.queued === undefined && range.completion.lastId() === range.after
        if (isOver && isReturningEventSource(request)) {
          leave()
          return new Response(null, { status: 204 })
        }
        const view = await viewOf(request, range.session)
        const asked = { ...readStreamOptions(request, dialect), ...(dialect && { dialect }) }
        const viewed = { ...range, ...asked, ...(view && { view }) }
        // The answer to a HEAD request is never read, and so never closed.
        if (request.method !== 'HEAD') return toStream(viewed, leave)
        leave()
        return new Response(null, { headers: headersOf(viewed) })
      } catch (error) {
        leave()
        throw error
      }
    },
    respondWith: ({ method }, open, principal) => {
      const leave = takeQuota(principal)
      if (method === 'HEAD') {
        leave()
        return new Response(null, { headers: SSE_HEADERS })
      }
      const reader = open()
      const source = createChunkSource({ reader, stallTimeoutMs, onError, onClose: leave })
      return new Response(toBody(source), { headers: SSE_HEADERS })
    },
    count,
    close: () => endless.lose(),
  }
}

/** Opens the reader of a stream; that of a prompt that waits is quiet until it begins. */
function openReader(options: ReadersOptions, range: ViewedRange, endless: Completion): ChunkReader {
  const { store, feeds, heartbeatMs, maxLineBytes } = options
  const { log, isSettled, queued } = range
  const read = isSettled ? readSettled : readFrames
  const open = (one: LogRange): ChunkReader =>
    read({ ...range, ...one, store: pinLog(store, log), feeds, heartbeatMs, maxLineBytes })
  if (queued === undefined) return open(range)
  const begin = async (signal: AbortSignal) => open(await queued.begins(signal))
  return readLater(begin, { heartbeatMs, completion: endless })
}

/** The places of all readers, and those of each principal among them. */
function createReaderQuota({ maxReaders, maxReadersPerPrincipal }: ReadersOptions) {
  const ownQuota = createQuota(maxReadersPerPrincipal, tooManyOwnReaders)
  let count = 0
  /** Gives what gives the place back, once. */
  const takeQuota = (principal: string | undefined): (() => void) => {
    if (count >= maxReaders) throw tooManyReaders(maxReaders)
    const leaveOwn = ownQuota.take(principal)
    count++
    let isTaken = true
    return () => {
      if (isTaken) count--
      isTaken = false
      leaveOwn()
    }
  }
  return { takeQuota, count: () => count }
}

/** What is read, and how it is shown to whoever asked. */
type ViewedRange = LogRange &
  Pick<ReadFramesOptions, 'view' | 'dialect'> &
  ReturnType<typeof readStreamOptions>

function headersOf({ log, dialect, forkedAfter }: ViewedRange): Readonly<Record<string, string>> {
  return {
    ...SSE_HEADERS,
    ...dialect?.headers,
    ...(log !== '' && { [LOG_HEADER]: log }),
    ...(forkedAfter !== undefined && { [FORK_HEADER]: String(forkedAfter) }),
  }
}

/**
 * How a request asks to be sent messages: merged unless it asks for each [LOG-5], settled if it asks for that [LOG-11], and
 * with the log in every id if it asks for that or its format always has it there [LOG-12].
 */
function readStreamOptions({ url }: Request, dialect: Format | undefined) {
  const { searchParams } = new URL(url)
  const settled = searchParams.get('settled') ?? '0'
  if (settled !== '0' && settled !== '1')
    throw new MillraceError('bad_request', '`settled` is 0 or 1.')
  const hasLogInIds = searchParams.get('ids') === 'log' || dialect?.hasLogInIds === true
  return {
    isCompact: searchParams.get('compact') !== '0',
    isSettled: settled === '1',
    hasLogInIds,
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
