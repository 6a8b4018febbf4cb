import type { Piece } from './body-chunk.ts'
import { untilReady } from './until-ready.ts'

/** Gives the bytes of a stream in the pieces in which they are written, one at a time as they are asked for. */
export interface PieceReader {
  /** The next piece, if one is ready. */
  take(): Piece | undefined
  /**
   * Calls one of both back, once: when another piece may be ready or none will come, or when something went wrong. To
   * be called when {@link take} has given nothing, in the same turn, and not again before it has called back, which it
   * may do before it returns. No promise: a live message passes a thousand readers.
   */
  wait(onReady: () => void, onError: (error: unknown) => void): void
  /** Whether no more pieces will come. */
  isOver(): boolean
  /** Ends it, also while it is waited for. */
  close(): void
}

/** A stream that can be read once: as the body of a response, or by a platform that writes better by itself. */
export interface PieceSource {
  readonly reader: PieceReader
  /** A reader that takes nothing for this long is to be cut; it may come back with its cursor. */
  readonly stallTimeoutMs: number
  /** To be called when nothing more is read, or can be. */
  readonly close: () => void
  /** Takes what went wrong while reading, which the reader sees only as a cut. */
  readonly fail: (error: unknown) => void
}

/** What a source is made from. */
export interface PieceSourceOptions {
  readonly reader: PieceReader
  readonly stallTimeoutMs: number
  readonly onError: (error: unknown) => void
  /** Called when the source is closed, once. */
  readonly onClose: () => void
}

/** Builds a source. */
export function createPieceSource({
  reader,
  stallTimeoutMs,
  onError,
  onClose,
}: PieceSourceOptions): PieceSource {
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

const sources = new WeakMap<ReadableStream, PieceSource>()

/** Turns a source into the body of a response, which holds at most one piece. */
export function toBody(source: PieceSource): ReadableStream<Uint8Array> {
  const { reader, stallTimeoutMs, close, fail } = source
  let stall: ReturnType<typeof setTimeout> | undefined
  const body = new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        clearTimeout(stall)
        try {
          const piece = await nextPiece(reader)
          if (piece === undefined) return end(controller, close)
          controller.enqueue(piece.bytes)
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
export function sourceOf({ body }: Response): PieceSource | undefined {
  return body === null || body.locked ? undefined : sources.get(body)
}

/** The next piece, once there is one; undefined at the end. */
export async function nextPiece(reader: PieceReader): Promise<Piece | undefined> {
  for (;;) {
    const piece = reader.take()
    if (piece !== undefined || reader.isOver()) return piece
    await untilReady(reader)
  }
}

function end(controller: ReadableStreamDefaultController, close: () => void): void {
  close()
  controller.close()
}
