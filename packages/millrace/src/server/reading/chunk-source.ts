import type { BodyChunk } from './body-chunk.ts'
import { untilReady } from './until-ready.ts'

/** Gives the bytes of a stream in the chunks in which they are written, one at a time as they are asked for. */
export interface ChunkReader {
  /** The next chunk, if one is ready. */
  take(): BodyChunk | undefined
  /**
   * Calls one of both back, once: when another chunk may be ready or none will come, or when something went wrong. To
   * be called when {@link take} has given nothing, in the same turn, and not again before it has called back, which it
   * may do before it returns. No promise: a live message passes a thousand readers.
   */
  wait(onReady: () => void, onError: (error: unknown) => void): void
  /** Whether no more chunks will come. */
  isOver(): boolean
  /** Ends it, also while it is waited for. */
  close(): void
}

/** A stream that can be read once: as the body of a response, or by a platform that writes better by itself. */
export interface ChunkSource {
  readonly reader: ChunkReader
  /** A reader that takes nothing for this long is to be cut; it may come back with its cursor. */
  readonly stallTimeoutMs: number
  /** To be called when nothing more is read, or can be. */
  readonly close: () => void
  /** Takes what went wrong while reading, which the reader sees only as a cut. */
  readonly fail: (error: unknown) => void
}

/** What a source is made from. */
export interface ChunkSourceOptions {
  readonly reader: ChunkReader
  readonly stallTimeoutMs: number
  readonly onError: (error: unknown) => void
  /** Called when the source is closed, once. */
  readonly onClose: () => void
}

/** Builds a source. */
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

/** Turns a source into the body of a response, which holds at most one chunk. */
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
            controller.error(new Error('The reader took nothing for too long.'))
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

/** The source of a response that nobody has begun to read, for a platform that writes it by itself. */
export function sourceOf({ body }: Response): ChunkSource | undefined {
  return body === null || body.locked ? undefined : sources.get(body)
}

/** The next chunk, once there is one; undefined at the end. */
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
