import { createSseDecoder } from 'millrace'

/** A response whose connection is lost right after so many messages. */
export function cutBody(response: Response, maxMessages: number): Response {
  let left = maxMessages
  const decoder = createSseDecoder({ onEvent: () => void left-- })
  const cut = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      // Byte by byte, because several messages may come in one piece.
      for (const [index] of chunk.entries()) {
        decoder.feed(chunk.subarray(index, index + 1))
        if (left > 0) continue
        controller.enqueue(chunk.subarray(0, index + 1))
        controller.error(new TypeError('The connection was lost.'))
        return
      }
      controller.enqueue(chunk)
    },
  })
  return new Response(response.body?.pipeThrough(cut) ?? null, response)
}
