import type { Pieces, PieceSource } from '../server/index.ts'

/** A body that somebody else made, as a source that can be written the same way as our own streams. */
export function toBodySource(
  body: ReadableStream<Uint8Array>,
  stallTimeoutMs: number,
): PieceSource {
  const reader = body.getReader()
  const close = (): void => {
    reader.cancel().catch(() => {})
  }
  async function* read(): Pieces {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield value
    }
  }
  return { pieces: read(), stallTimeoutMs, close, fail: close }
}
