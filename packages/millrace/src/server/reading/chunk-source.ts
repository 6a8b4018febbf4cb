/** A reader of the chunks of a stream, one at a time on demand. */
export interface ChunkReader {
  /** Returns the next chunk, if one is ready. */
  take(): BodyChunk | undefined
  /**
   * Calls one of the callbacks, once: `onReady` when another chunk may be ready or the stream is over, `onError` on failure. Must
   * be called in the same turn in which {@link take} returned nothing, and not again before a callback, which may come before
   * this returns. Takes callbacks because a promise for each of a thousand live readers costs too much.
   */
  wait(onReady: () => void, onError: (error: unknown) => void): void
  /** Whether no more chunks will come. */
  isOver(): boolean
  /** Ends the stream, also during a wait. */
  close(): void
}

/** A stream that can be read once: as the body of a response, or by a platform that writes to the socket itself. */
export interface ChunkSource {
  readonly reader: ChunkReader
  /** Time without a read after which the reader is disconnected. It can resume with its cursor. */
  readonly stallTimeoutMs: number
  /** Must be called when reading ends. */
  readonly close: () => void
  /** Reports a failure; the reader only sees a disconnect. */
  readonly fail: (error: unknown) => void
}

interface ChunkSourceOptions {
  readonly reader: ChunkReader
  readonly stallTimeoutMs: number
  readonly onError: (error: unknown) => void
  /** Called once, when the source is closed. */
  readonly onClose: () => void
}

/** Creates a chunk source. */
export function createChunkSource({
  reader,
  stallTimeoutMs,
  onError,
  onClose,
}: ChunkSourceOptions): ChunkSource {
  let isClosed = false
  const close = (): void => {
    if (isClosed) return
    isClosed = true
    reader.close()
    onClose()
  }
  const fail = (error: unknown): void => {
    try {
      if (!isClosed) onError(error)
    } finally {
      close()
    }
  }
  return { reader, stallTimeoutMs, close, fail }
}

const sources = new WeakMap<ReadableStream, ChunkSource>()

/** Creates a response body from a source. The body buffers at most one chunk. */
export function toBody(source: ChunkSource): ReadableStream<Uint8Array> {
  const { reader, stallTimeoutMs, close, fail } = source
  let stall: ReturnType<typeof setTimeout> | undefined
  const body = new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        clearTimeout(stall)
        try {
          const chunk = await nextChunk(reader)
          if (chunk === undefined) return end(controller, close)
          controller.enqueue(chunk.bytes)
          stall = setTimeout(() => {
            close()
            controller.error(
              new Error('The reader was disconnected because it read nothing for too long.'),
            )
          }, stallTimeoutMs)
        } catch (error) {
          fail(error)
          controller.error(error)
        }
      },
      cancel: () => {
        clearTimeout(stall)
        close()
      },
    },
    { highWaterMark: 0 },
  )
  sources.set(body, source)
  return body
}

/** Returns the source of a response body that has not been read, for platforms that write to the socket themselves. */
export function sourceOf({ body }: Response): ChunkSource | undefined {
  return body === null || body.locked ? undefined : sources.get(body)
}

/** Resolves with the next chunk, or with undefined at the end. */
export async function nextChunk(reader: ChunkReader): Promise<BodyChunk | undefined> {
  for (;;) {
    const chunk = reader.take()
    if (chunk !== undefined || reader.isOver()) return chunk
    await untilReady(reader)
  }
}

function end(controller: ReadableStreamDefaultController, close: () => void): void {
  close()
  controller.close()
}

/** Bytes of a stream that are written together. */
export interface BodyChunk {
  /** Shared with other readers: must not be changed, nor its buffer transferred. */
  readonly bytes: Uint8Array
  /**
   * The same bytes framed as one chunk of HTTP/1.1, where that was done once for all readers. Serves platforms that write to the
   * socket after the headers.
   */
  readonly httpChunk?: Uint8Array
}

/** An object with a wait that calls back once. */
interface Waitable {
  wait(onReady: () => void, onError: (error: unknown) => void): void
}

/** Resolves when the wait calls back. For places where the cost of a promise does not matter. */
export function untilReady(waitable: Waitable): Promise<void> {
  return new Promise((resolve, reject) => waitable.wait(resolve, reject))
}
