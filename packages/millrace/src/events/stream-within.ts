import type { WorkSpan } from './telemetry.ts'

/**
 * Reads a stream with `span` as the active span during each read, not only during opening. Records the first item as
 * the event `first_chunk`.
 */
export async function* streamWithin<Item>(
  span: WorkSpan,
  open: () => AsyncIterable<Item>,
): AsyncGenerator<Item, void> {
  const source = span.run(() => open()[Symbol.asyncIterator]())
  let isWaiting = false
  let isBegun = false
  try {
    for (;;) {
      const next = await span.run(() => source.next())
      if (next.done === true) return
      if (!isBegun) span.event('first_chunk')
      isBegun = true
      isWaiting = true
      yield next.value
      isWaiting = false
    }
  } finally {
    if (isWaiting) await span.run(() => source.return?.())
  }
}
