import type { LogFormat } from '../../protocols/port/index.ts'
import { badRequest, MillraceError } from '../../errors/index.ts'
import { SSE_HEADERS } from '../../sse/index.ts'
import type { Store } from '../../stores/port/index.ts'
import type { Feeds } from '../feeds/feed.ts'
import { type Completion, createCompletion } from './completion.ts'
import type { ReportError } from '../handler-options.ts'
import { pinLog } from '../feeds/page-reader.ts'
import { createQuota } from '../sessions/quota.ts'
import { type ChunkReader, type ChunkSource, createChunkSource, toBody } from './chunk-source.ts'
import { readFrames, type ReadFramesOptions, readLater, readSettled } from './log-reader.ts'
import { FORK_HEADER, LOG_HEADER } from '../requests/cursor.ts'
import type { LogRange } from '../runs/run-services.ts'
import type { ServerObserver } from '../server-observer.ts'
import type { ViewOf } from '../views/view-rules.ts'

interface ReadersOptions {
  readonly store: Store
  readonly feeds: Feeds
  /** The view of a session for a request. */
  readonly viewOf: ViewOf
  readonly maxLineBytes: number
  readonly heartbeatMs: number
  /** The address of the server for clients of other formats. */
  readonly publicUrl?: string
  readonly stallTimeoutMs: number
  readonly maxReaders: number
  readonly maxReadersPerUser: number
  readonly onError: ReportError
  readonly observer: Required<ServerObserver>
}

/** The reader of a stream and its format. */
interface ReaderIdentity {
  /** The name under which its streams are counted; absent if they are not. */
  readonly quotaKey?: string | undefined
  /** The format, if it differs from the log's. */
  readonly format: LogFormat | undefined
}

/** The open streams of a server. */
export interface Readers {
  /** A completion that is interrupted when the server closes: the reader stays across pauses and runs. */
  readonly endless: Completion
  /**
   * Responds with a stream of the range that `open` finds. Acquires the quota first, so that nothing is done for a reader that
   * cannot be served, and releases it when the stream is closed.
   */
  respond(
    request: Request,
    open: () => Promise<LogRange>,
    identity: ReaderIdentity,
  ): Promise<Response>
  /** Opens a stream of a range for code in this process. It counts to the quota until it is closed. */
  open(range: LogRange, quotaKey?: string): ChunkSource
  /** Responds with a stream that belongs to no session. It counts to the quota too. */
  respondWith(request: Request, open: () => ChunkReader, quotaKey?: string): Response
  /** Number of open streams. */
  count(): number
  close(): void
}

/** Creates the readers of a server. */
export function createReaders(options: ReadersOptions): Readers {
  const { stallTimeoutMs, onError, observer, viewOf } = options
  const endless = createCompletion()
  const { acquire, count } = createReaderQuota(options)

  const openSource = (range: ViewedRange, release: () => void): ChunkSource => {
    const { session } = range
    const openedAt = performance.now()
    observer.readerOpened(session)
    return createChunkSource({
      reader: openReader(options, range, endless),
      stallTimeoutMs,
      onError: (error) => onError(error, { session }),
      onClose: () => {
        release()
        observer.readerClosed({ session, durationMs: performance.now() - openedAt })
      },
    })
  }

  return {
    endless,
    respond: async (request, open, { quotaKey, format }) => {
      const release = acquire(quotaKey)
      try {
        const range = await open()
        const isOver = range.queued === undefined && range.completion.lastId() === range.after
        if (isOver && isReturningEventSource(request)) {
          release()
          return new Response(null, { status: 204 })
        }
        const view = await viewOf(request, range.session)
        const asked = { ...readStreamOptions(request, format), ...(format && { format }) }
        const viewed = { ...range, ...asked, ...(view && { view }) }
        // The response to HEAD has no body that could be closed.
        const headers = headersOf(viewed)
        if (request.method !== 'HEAD')
          return new Response(toBody(openSource(viewed, release)), { headers })
        release()
        return new Response(null, { headers })
      } catch (error) {
        release()
        throw error
      }
    },
    open: (range, quotaKey) => openSource({ ...range, ...plainStream }, acquire(quotaKey)),
    respondWith: ({ method }, open, quotaKey) => {
      const release = acquire(quotaKey)
      if (method === 'HEAD') {
        release()
        return new Response(null, { headers: SSE_HEADERS })
      }
      const reader = open()
      const source = createChunkSource({ reader, stallTimeoutMs, onError, onClose: release })
      return new Response(toBody(source), { headers: SSE_HEADERS })
    },
    count,
    close: () => endless.interrupt(),
  }
}

/** Opens the reader of a range. For a queued prompt it waits until the prompt begins. */
function openReader(options: ReadersOptions, range: ViewedRange, endless: Completion): ChunkReader {
  const { store, feeds, heartbeatMs, maxLineBytes, publicUrl = '' } = options
  const { log, isSettled, queued } = range
  const read = isSettled ? readSettled : readFrames
  const open = (one: LogRange): ChunkReader =>
    read({
      ...range,
      ...one,
      store: pinLog(store, log),
      feeds,
      heartbeatMs,
      maxLineBytes,
      publicUrl,
    })
  if (queued === undefined) return open(range)
  const begin = async (signal: AbortSignal) => open(await queued.begins(signal))
  return readLater(begin, { heartbeatMs, completion: endless })
}

/** Creates the quota of all readers, with a quota for each user. */
function createReaderQuota({ maxReaders, maxReadersPerUser }: ReadersOptions) {
  const ownQuota = createQuota(maxReadersPerUser, tooManyOwnReaders)
  let count = 0
  /** Returns a function that releases the quota, once. */
  const acquire = (quotaKey: string | undefined): (() => void) => {
    if (count >= maxReaders)
      throw new MillraceError(
        'overloaded',
        `The server has reached its limit of ${maxReaders} open streams; try again in a moment.`,
      )
    const releaseOwn = ownQuota.acquire(quotaKey)
    count++
    let isHeld = true
    return () => {
      if (isHeld) count--
      isHeld = false
      releaseOwn()
    }
  }
  return { acquire, count: () => count }
}

type ViewedRange = LogRange &
  Pick<ReadFramesOptions, 'view' | 'format'> &
  ReturnType<typeof readStreamOptions>

function headersOf({ log, format, forkedAfter }: ViewedRange): Readonly<Record<string, string>> {
  return {
    ...SSE_HEADERS,
    ...format?.headers,
    ...(log !== '' && { [LOG_HEADER]: log }),
    ...(forkedAfter !== undefined && { [FORK_HEADER]: String(forkedAfter) }),
  }
}

/**
 * Reads how frames are sent: merged unless `compact=0` [LOG-5], settled with `settled=1` [LOG-11], and with the log in each id
 * with `ids=log` or a format that requires it [LOG-12].
 */
function readStreamOptions({ url }: Request, format: LogFormat | undefined) {
  const { searchParams } = new URL(url)
  const settled = searchParams.get('settled') ?? '0'
  if (settled !== '0' && settled !== '1') throw badRequest('`settled` must be 0 or 1.')
  const hasLogInIds = searchParams.get('ids') === 'log' || format?.hasLogInIds === true
  return {
    isCompact: searchParams.get('compact') !== '0',
    isSettled: settled === '1',
    hasLogInIds,
  }
}

/** Options of frames without a request. */
const plainStream = { isCompact: true, isSettled: false, hasLogInIds: false }

function tooManyOwnReaders(max: number): MillraceError {
  return new MillraceError(
    'too_many_requests',
    `You have reached the limit of ${max} open streams; close one, or try again later.`,
  )
}

/**
 * Whether a request is an `EventSource` that reconnects by itself after its stream ended. If nothing is left to read it gets 204,
 * since `[DONE]` does not stop it. Other clients stop at `[DONE]` and accept more than event streams. [SSE-9]
 */
function isReturningEventSource({ method, headers }: Request): boolean {
  const isResuming = (headers.get('last-event-id') ?? '') !== ''
  return method === 'GET' && isResuming && headers.get('accept') === 'text/event-stream'
}
