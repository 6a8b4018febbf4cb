import { createSseDecoder } from 'millrace'

/** Creates a response whose connection fails after this many messages. */
export function cutBody(response: Response, maxMessages: number): Response {
  let left = maxMessages
  const decoder = createSseDecoder({ onEvent: () => void left-- })
  const cut = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      // Byte by byte, because a chunk may contain several messages.
      for (const [index] of chunk.entries()) {
        decoder.feed(chunk.subarray(index, index + 1))
        if (left > 0) continue
        controller.enqueue(chunk.subarray(0, index + 1))
        controller.error(new TypeError('The connection failed.'))
        return
      }
      controller.enqueue(chunk)
    },
  })
  return new Response(response.body?.pipeThrough(cut) ?? null, response)
}
