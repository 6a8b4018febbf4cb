import { onAbort, openSource } from '../streams/index.ts'
import { createSseDecoder, type SseDecodeOptions, type SseEvent } from './event-decoder.ts'

/** A body of `fetch` or any other source of bytes. */
export type SseBody = ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>

interface SseBodyOptions extends SseDecodeOptions {
  readonly signal?: AbortSignal
}

/**
 * Decodes a body. Yields, for each chunk, the events that the chunk completed; an empty list shows that the source is
 * alive. Cancels the body if the consumer stops early. Throws the reason of `signal` as soon as it aborts.
 */
export async function* decodeSse(
  body: SseBody,
  { signal, ...options }: SseBodyOptions = {},
): AsyncGenerator<readonly SseEvent[], void, undefined> {
  let events: SseEvent[] = []
  const decoder = createSseDecoder({ ...options, onEvent: (event) => events.push(event) })
  const source = openSource(body)
  let interrupt: (reason: unknown) => void = () => {}
  const leave = onAbort(signal, () => interrupt(signal?.reason))
  let ended = false
  try {
    for (;;) {
      signal?.throwIfAborted()
      // `Promise.race` with the signal would add one reaction to its promise for each chunk.
      const { value } = await new Promise<Awaited<ReturnType<typeof source.next>>>(
        (resolve, reject) => {
          interrupt = reject
          source.next().then(resolve, reject)
        },
      )
      ended = value === undefined
      if (value === undefined) return
      events = []
      try {
        decoder.feed(value)
      } finally {
        yield events // also those before a frame that is too large
      }
    }
  } finally {
    leave()
    // Not awaited: a source that hangs in a read would block its reader too.
    if (!ended) source.close().catch(() => {})
  }
}
