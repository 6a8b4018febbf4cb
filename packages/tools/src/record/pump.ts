import type { Readable, Writable } from 'node:stream'

/**
 * Hands each chunk on as it came from the network. Whatever the chunk was written to and cannot take more holds
 * the source back. By events: an async iterator would join chunks that wait.
 */
export function pump(source: Readable, take: (chunk: Uint8Array) => readonly Writable[]): void {
  source.on('data', (chunk: Uint8Array) => {
    const full = take(chunk).filter((sink) => sink.writableNeedDrain && !sink.destroyed)
    if (full.length === 0) return
    source.pause()
    void Promise.all(full.map(drained)).then(() => source.resume())
  })
}

/** Resolves when a sink can take more, or is gone. */
export function drained(sink: Writable): Promise<void> {
  return new Promise((resolve) => {
    const settle = (): void => {
      sink.off('drain', settle)
      sink.off('close', settle)
      resolve()
    }
    sink.on('drain', settle)
    sink.on('close', settle)
  })
}
