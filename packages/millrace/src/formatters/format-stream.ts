import { type MessageCut, toBodyCut } from '../models/stream/index.ts'
import { encodeSse, type SseFrame } from '../sse/index.ts'
import { onAbort, openSource } from '../streams/index.ts'
import type { Formatter, ProviderInput } from './formatter.ts'

/** A provider's stream: the body of its response, or any other source of bytes or events. */
export type ProviderSource = ReadableStream<ProviderInput> | AsyncIterable<ProviderInput>

/** Options of `formatStream`. */
export interface FormatStreamOptions {
  /** Stops reading; open blocks are closed, and the stream ends as an aborted one. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Formats a provider's stream and yields the frames of each chunk. A failure of the source becomes an error in the
 * stream: this function never throws for a failure on the provider's side. Nothing is read after an error, because
 * a failed server may leave its connection open.
 */
export async function* formatStream(
  source: ProviderSource,
  formatter: Formatter,
  { signal }: FormatStreamOptions = {},
): AsyncGenerator<readonly SseFrame[], void, undefined> {
  const reader = openSource(source)
  let interrupt = (): void => {}
  const detach = onAbort(signal, () => interrupt())
  let hasEnded = false
  let cut: MessageCut | undefined
  try {
    while (!hasEnded && cut === undefined && !formatter.isOver) {
      const next = await readNext()
      if ('outcome' in next) cut = next
      else if (next.value !== undefined && next.done !== true) yield formatter.feed(next.value)
      else hasEnded = true
    }
    const last = formatter.finish(cut)
    yield formatter.done === undefined ? last : [...last, formatter.done]
  } finally {
    detach()
    // Not awaited: a source that hangs in a read would block its reader too.
    if (!hasEnded) reader.close().catch(() => {})
  }

  /** Avoids Promise.race: the signal's promise would collect one reaction for each chunk. */
  function readNext() {
    return new Promise<Awaited<ReturnType<typeof reader.next>> | MessageCut>((resolve) => {
      interrupt = () => resolve({ outcome: 'aborted' })
      if (signal?.aborted === true) return interrupt()
      reader.next().then(resolve, (error: unknown) => resolve(toBodyCut(error)))
    })
  }
}

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
