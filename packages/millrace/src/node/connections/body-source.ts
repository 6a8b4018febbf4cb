import type { BodyChunk, ChunkReader, ChunkSource } from '../../server/index.ts'

/** Converts a body of any origin to a source that is written like our own streams. */
export function toBodySource(
  body: ReadableStream<Uint8Array>,
  stallTimeoutMs: number,
): ChunkSource {
  const bytes = body.getReader()
  let ready: BodyChunk | undefined
  let isOver = false
  const close = (): void => {
    bytes.cancel().catch(() => {})
  }
  const reader: ChunkReader = {
    take: () => {
      const chunk = ready
      ready = undefined
      return chunk
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
