import { isMillraceError } from '../errors/index.ts'
import type { ModelFailure } from '../events/index.ts'
import { decodeSse, type SseBody, type SseEvent } from '../sse/index.ts'
import type { MessageCut } from './message-cut.ts'
import { reasonOf } from './request-failure.ts'

/** Makes the request and gives its body. The signal aborts while the body is awaited, or if it cannot be cancelled. */
export type OpenBody = (signal: AbortSignal) => Promise<SseBody | null>

/** How a body is read. */
export interface MessageBodyOptions {
  readonly signal: AbortSignal | undefined
  readonly maxFrameChars: number
  /** The failure behind what opening the body threw. */
  readonly toFailure: (error: unknown) => ModelFailure
}

/** The body of one response, read at the reader's own speed. */
export interface MessageBody {
  /** The frames of the next chunk, or why there are none; the first call makes the request. */
  read(timeoutMs: number): Promise<readonly SseEvent[] | MessageCut>
  /** Stops the request and whatever is still under way. */
  close(): void
}

/** Why a message ends whose stream ended first. */
export const truncated: MessageCut = {
  outcome: 'interrupted',
  failure: {
    type: 'stream_truncated',
    message: 'The model’s stream ended before its message did.',
    retriable: true,
  },
}

/** Timers fire at once for anything longer. */
const longestTimerMs = 2 ** 31 - 1

/** Prepares the body of a request that is made at the first read. */
export function createMessageBody(
  open: OpenBody,
  { signal, maxFrameChars, toFailure }: MessageBodyOptions,
): MessageBody {
  const request = new AbortController()
  const reading = new AbortController()
  /** Whether the request needs no signal any more: its body is over, or closes the connection when it is cancelled. */
  let isReleased = false
  let chunks: ReturnType<typeof decodeSse> | undefined
  let cut: MessageCut | undefined

  /**
   * Ends the read under way, which cancels the body. A released request is not aborted: the SDK holds its controller
   * until the body is collected, and the stack of the abort reason would hold the body.
   */
  const stop = (): void => {
    reading.abort()
    if (!isReleased) request.abort()
  }
  const stopFor = (reason: MessageCut): void => {
    cut ??= reason
    stop()
  }
  const onAbort = (): void => stopFor({ outcome: 'aborted' })
  signal?.addEventListener('abort', onAbort, { once: true })
  if (signal?.aborted === true) onAbort()

  async function connect(): Promise<MessageCut | undefined> {
    try {
      const body = (await openUntil(request.signal, open)) ?? emptyBody()
      isReleased = 'getReader' in body
      chunks = decodeSse(body, { signal: reading.signal, maxFrameChars })
      return undefined
    } catch (error) {
      return cut ?? { outcome: 'failed', failure: toFailure(error) }
    }
  }

  async function readChunk(timeoutMs: number): Promise<readonly SseEvent[] | MessageCut> {
    const timer = setTimeout(() => stopFor(silent(timeoutMs)), Math.min(timeoutMs, longestTimerMs))
    try {
      const next = await chunks?.next()
      if (next?.done === true) isReleased = true
      return next?.value ?? truncated
    } catch (error) {
      isReleased = true
      return cut ?? toBodyCut(error)
    } finally {
      clearTimeout(timer)
    }
  }

  return {
    async read(timeoutMs) {
      if (chunks !== undefined) return readChunk(timeoutMs)
      return (await connect()) ?? readChunk(timeoutMs)
    },
    close() {
      signal?.removeEventListener('abort', onAbort)
      stop()
      chunks?.return().catch(() => {})
    },
  }
}

/** A client that was handed in may not heed the signal; what it brings too late is let go. */
async function openUntil(signal: AbortSignal, open: OpenBody): Promise<SseBody | null> {
  signal.throwIfAborted()
  let stop = (): void => {}
  const stopped = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason as Error)
    signal.addEventListener('abort', stop, { once: true })
  })
  const opened = open(signal)
  try {
    return await Promise.race([opened, stopped])
  } catch (error) {
    opened.then(closeBody, () => {})
    throw error
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

function closeBody(body: SseBody | null): void {
  const closing =
    body !== null && 'getReader' in body ? body.cancel() : body?.[Symbol.asyncIterator]().return?.()
  closing?.catch(() => {})
}

function silent(timeoutMs: number): MessageCut {
  const message = `The model’s stream was silent for ${timeoutMs / 1000} s.`
  return { outcome: 'interrupted', failure: { type: 'idle_timeout', message, retriable: true } }
}

/** Why a message ends whose stream threw. */
export function toBodyCut(error: unknown): MessageCut {
  if (isMillraceError(error) && error.code === 'frame_too_large') {
    const failure = { type: error.code, message: error.message, retriable: false }
    return { outcome: 'failed', failure }
  }
  const message = `The connection to the model’s API was lost: ${reasonOf(error)}`
  return { outcome: 'interrupted', failure: { type: 'connection_lost', message, retriable: true } }
}

async function* emptyBody(): AsyncGenerator<Uint8Array> {}
