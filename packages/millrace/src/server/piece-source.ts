/** The bytes of a stream, in the pieces in which they are written. */
export type Pieces = AsyncGenerator<Uint8Array, void, undefined>

/** A stream that can be read once: as the body of a response, or by a platform that writes better by itself. */
export interface PieceSource {
  /** The pieces, made one at a time as they are asked for. */
  readonly pieces: Pieces
  /** A reader that takes nothing for this long is to be cut; it may come back with its cursor. */
  readonly stallTimeoutMs: number
  /** Ends the pieces, also while one is waited for; to be called once the reader is done or gone. */
  readonly close: () => void
  /** Takes what went wrong while reading, which the reader sees only as a cut. */
  readonly fail: (error: unknown) => void
}

/** What a source is made from. */
export interface PieceSourceOptions {
  readonly read: (signal: AbortSignal) => Pieces
  readonly stallTimeoutMs: number
  readonly onError: (error: unknown) => void
  /** Called when the source is closed, perhaps more than once. */
  readonly onClose: () => void
}

/** Builds a source. */
export function createPieceSource({
  read,
  stallTimeoutMs,
  onError,
  onClose,
}: PieceSourceOptions): PieceSource {
  const controller = new AbortController()
  const { signal } = controller
  const pieces = read(signal)
  const close = (): void => {
    controller.abort()
    pieces.return().catch(() => {})
    onClose()
  }
  return {
    pieces,
    stallTimeoutMs,
    close,
    fail: (error) => {
      if (!signal.aborted) onError(error)
      close()
    },
  }
}

const sources = new WeakMap<ReadableStream, PieceSource>()

/** Turns a source into the body of a response, which holds at most one piece. */
export function toBody(source: PieceSource): ReadableStream<Uint8Array> {
  const { pieces, stallTimeoutMs, close, fail } = source
  let stall: ReturnType<typeof setTimeout> | undefined
  const body = new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        clearTimeout(stall)
        try {
          const { done, value } = await pieces.next()
          if (done === true) return end(controller, close)
          controller.enqueue(value)
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

function end(controller: ReadableStreamDefaultController, close: () => void): void {
  close()
  controller.close()
}
