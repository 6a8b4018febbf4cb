import { encodeSse } from '../sse/index.ts'
import { onAbort } from '../streams/index.ts'
import { formatStream, type FormatStreamOptions, type ProviderSource } from './format-stream.ts'
import type { Formatter } from './formatter.ts'

/**
 * Formats a provider's stream as a response body of server-sent events, produced as they are read. Cancelling the
 * body stops the provider's stream. A source that fails ends the body with an error message, not with an
 * exception.
 */
export function toSseBody(
  source: ProviderSource,
  formatter: Formatter,
  { signal }: FormatStreamOptions = {},
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  const stop = new AbortController()
  const end = onAbort(signal, () => stop.abort())
  const frames = formatStream(source, formatter, { signal: stop.signal })
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        for (;;) {
          const { done, value } = await frames.next()
          if (done === true) {
            end()
            return controller.close()
          }
          // A chunk of the source may complete no frame; only bytes end a pull.
          if (value.length > 0)
            return controller.enqueue(encoder.encode(value.map(encodeSse).join('')))
        }
      },
      cancel() {
        end()
        stop.abort()
        drain(frames).catch(() => {})
      },
    },
    { highWaterMark: 0 },
  )
}

/**
 * Reads to the end, which is near once the signal has aborted; a generator that never started would not close its
 * source.
 */
async function drain(frames: AsyncIterator<unknown>): Promise<void> {
  while ((await frames.next()).done !== true);
}
