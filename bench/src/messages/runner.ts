import type { Work } from '../bench-case.ts'
import type { MessageSample, MessageWorkload } from './workload.ts'

/** A path from the bytes of a response to its message. */
export interface MessageRunner {
  readonly name: string
  prepare(sample: MessageSample, workload: MessageWorkload): Work
}

/** A `fetch` that answers with a sample, as fast as it is read. */
export function answerWith({ chunks }: MessageSample): typeof globalThis.fetch {
  return async () => {
    let next = 0
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        const chunk = chunks[next++]
        if (chunk === undefined) controller.close()
        else controller.enqueue(chunk)
      },
    })
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
  }
}
