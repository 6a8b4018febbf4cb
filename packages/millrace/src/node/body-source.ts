import type { PieceSource } from '../server/index.ts'

/** A body that somebody else made, as a source that can be written the same way as our own streams. */
export function toBodySource(
  body: ReadableStream<Uint8Array>,
  stallTimeoutMs: number,
): PieceSource {
  const reader = body.getReader()
  let ready: Uint8Array | undefined
  let isOver = false
  const close = (): void => {
    reader.cancel().catch(() => {})
  }
  return {
    take: () => {
      const piece = ready
      ready = undefined
      return piece
    },
    wait: async () => {
      const { done, value } = await reader.read()
      if (done) isOver = true
      else ready = value
    },
    isOver: () => isOver,
    stallTimeoutMs,
    close,
    fail: close,
  }
}
