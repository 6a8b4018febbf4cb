import type { Readable, Writable } from 'node:stream'

/**
 * Passes on each chunk as it was received. A full destination pauses the source. Uses events, because an async iterator
 * would join waiting chunks.
 */
export function pump(source: Readable, take: (chunk: Uint8Array) => readonly Writable[]): void {
  source.on('data', (chunk: Uint8Array) => {
    const full = take(chunk).filter((sink) => sink.writableNeedDrain && !sink.destroyed)
    if (full.length === 0) return
    source.pause()
    void Promise.all(full.map(drained)).then(() => source.resume())
  })
}

/** Resolves when a destination is drained or closed. */
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
