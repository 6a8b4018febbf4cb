import type { PieceReader, PieceSource } from '../server/index.ts'

/** A body that somebody else made, as a source that can be written the same way as our own streams. */
export function toBodySource(
  body: ReadableStream<Uint8Array>,
  stallTimeoutMs: number,
): PieceSource {
  const bytes = body.getReader()
  let ready: Uint8Array | undefined
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
    wait: async () => {
      const { done, value } = await bytes.read()
      if (done) isOver = true
      else ready = value
    },
    isOver: () => isOver,
    close,
  }
  return { reader, stallTimeoutMs, close, fail: close }
}
