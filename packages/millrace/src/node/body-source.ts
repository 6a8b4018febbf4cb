import type { Piece, PieceReader, PieceSource } from '../server/index.ts'

/** A body that somebody else made, as a source that can be written the same way as our own streams. */
export function toBodySource(
  body: ReadableStream<Uint8Array>,
  stallTimeoutMs: number,
): PieceSource {
  const bytes = body.getReader()
  let ready: Piece | undefined
  let isOver = false
  const close = (): void => {
    bytes.cancel().catch(() => {})
  }
  const reader: PieceReader = {
    take: () => {
      const piece = ready
      ready = undefined
      return piece
    },
    wait: (onReady, onError) => {
      const keep = ({ done, value }: ReadableStreamReadResult<Uint8Array>): void => {
        if (done) isOver = true
        else ready = { bytes: value }
      }
      bytes.read().then(keep).then(onReady, onError)
    },
    isOver: () => isOver,
    close,
  }
  return { reader, stallTimeoutMs, close, fail: close }
}
