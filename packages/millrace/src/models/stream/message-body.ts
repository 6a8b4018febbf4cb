import { isMillraceError } from '../../errors/index.ts'
import type { MessageOutcome, ModelFailure, ProviderEnd } from '../../events/index.ts'
import { decodeSse, type SseBody, type SseEvent } from '../../sse/index.ts'
import { onAbort, awaitOrAbort } from '../../streams/index.ts'
import { reasonOf } from './request-failure.ts'

/** The reason why a message ended without the provider's end. */
export interface MessageCut {
  readonly outcome: Exclude<MessageOutcome, ProviderEnd>
  readonly failure?: ModelFailure
}

/** Creates the cut for a frame that is not a JSON object. */
export function malformedFrame(data: string): MessageCut {
  const message = `A frame of the model’s stream is not a JSON object: ${JSON.stringify(data.slice(0, 80))}`
  return { outcome: 'failed', failure: { type: 'malformed_frame', message, retriable: true } }
}

/** Sends the request and returns its body. The signal aborts while the body is awaited, or if it cannot be cancelled. */
export type OpenBody = (signal: AbortSignal) => Promise<SseBody | null>

/** Options of a message's body. */
export interface MessageBodyOptions {
  readonly signal: AbortSignal | undefined
  readonly maxFrameChars: number
  /** Converts an exception during opening to a failure. */
  readonly toFailure: (error: unknown) => ModelFailure
}

/** The cut for a stream that ended before its message. */
export const truncated: MessageCut = {
  outcome: 'interrupted',
  failure: {
    type: 'stream_truncated',
    message: 'The model’s stream ended before its message did.',
    retriable: true,
  },
}

/** Timers with a longer delay fire immediately. */
const longestTimerMs = 2 ** 31 - 1

/** Creates a body. The request is sent at the first read. */
export function createMessageBody(
  open: OpenBody,
  { signal, maxFrameChars, toFailure }: MessageBodyOptions,
) {
  const request = new AbortController()
  const reading = new AbortController()
  /** Whether the request no longer needs its signal: the body has ended, or its cancellation closes the connection. */
  let isReleased = false
  let chunks: ReturnType<typeof decodeSse> | undefined
  let cut: MessageCut | undefined

  /**
   * Ends the pending read, which cancels the body. A released request is not aborted: the SDK keeps its controller
   * until the body is collected, and the stack of the abort reason would keep the body alive.
   */
  const stop = (): void => {
    reading.abort()
    if (!isReleased) request.abort()
  }
  const stopFor = (reason: MessageCut): void => {
    cut ??= reason
    stop()
  }
  const detach = onAbort(signal, () => stopFor({ outcome: 'aborted' }))

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
    const timer = setTimeout(
      () => stopFor(idleTimeout(timeoutMs)),
      Math.min(timeoutMs, longestTimerMs),
    )
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
    /** Returns the frames of the next chunk, or the reason of the end. The first call sends the request. */
    async read(timeoutMs: number): Promise<readonly SseEvent[] | MessageCut> {
      if (chunks !== undefined) return readChunk(timeoutMs)
      return (await connect()) ?? readChunk(timeoutMs)
    },
    /** Cancels the request and pending reads. */
    close() {
      detach()
      stop()
      chunks?.return().catch(() => {})
    },
  }
}

/** Opens a body until the signal aborts. A custom client may ignore the signal; a late body is cancelled. */
async function openUntil(signal: AbortSignal, open: OpenBody): Promise<SseBody | null> {
  signal.throwIfAborted()
  const opened = open(signal)
  const body = await awaitOrAbort(opened, signal)
  if (!signal.aborted) return body ?? null
  opened.then(closeBody, () => {})
  throw signal.reason
}

function closeBody(body: SseBody | null): void {
  const closing =
    body !== null && 'getReader' in body ? body.cancel() : body?.[Symbol.asyncIterator]().return?.()
  closing?.catch(() => {})
}

function idleTimeout(timeoutMs: number): MessageCut {
  const message = `The model’s stream was idle for ${timeoutMs / 1000} s.`
  return { outcome: 'interrupted', failure: { type: 'idle_timeout', message, retriable: true } }
}

/** Creates the cut for an exception of the stream. */
export function toBodyCut(error: unknown): MessageCut {
  if (isMillraceError(error) && error.code === 'frame_too_large') {
    const failure = { type: error.code, message: error.message, retriable: false }
    return { outcome: 'failed', failure }
  }
  const message = `The connection to the model’s API was lost: ${reasonOf(error)}`
  return { outcome: 'interrupted', failure: { type: 'connection_lost', message, retriable: true } }
}

async function* emptyBody(): AsyncGenerator<Uint8Array> {}
