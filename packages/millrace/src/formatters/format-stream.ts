import { type MessageCut, toBodyCut } from '../models/stream/index.ts'
import type { SseFrame } from '../sse/index.ts'
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
