/** A source that is read one chunk at a time, and can be closed before its end. */
interface Source<Chunk> {
  next(): Promise<{ readonly done?: boolean | undefined; readonly value?: Chunk | undefined }>
  close(): Promise<unknown>
}

/** Reads a stream or an iterable, which not every platform makes of its streams. */
export function openSource<Chunk>(
  source: ReadableStream<Chunk> | AsyncIterable<Chunk>,
): Source<Chunk> {
  if ('getReader' in source) {
    const reader = source.getReader()
    return { next: () => reader.read(), close: () => reader.cancel() }
  }
  const iterator = source[Symbol.asyncIterator]()
  return { next: () => iterator.next(), close: async () => iterator.return?.() }
}
