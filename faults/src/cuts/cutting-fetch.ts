/** A `fetch` whose responses are interrupted, each at its own byte. */
export interface CuttingFetch {
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>
  /** The number of cut responses; a response that is shorter than its cut is not cut. */
  readonly cuts: () => number
}

/** Creates a real `fetch` that passes this many bytes of its first responses and then drops the connection. */
export function createCuttingFetch(offsets: readonly number[]): CuttingFetch {
  let requests = 0
  let cuts = 0
  return {
    cuts: () => cuts,
    fetch: async (url, init) => {
      const offset = offsets[requests++]
      const response = await fetch(url, init)
      if (offset === undefined || !response.ok || response.body === null) return response
      const body = cutBody(response.body, offset, () => cuts++)
      return new Response(body, response)
    },
  }
}

function cutBody(
  body: ReadableStream<Uint8Array>,
  offset: number,
  onCut: () => void,
): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  let left = offset
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const piece = left > 0 ? await reader.read() : { done: false, value: undefined }
        if (piece.done) return controller.close()
        if (piece.value !== undefined) {
          controller.enqueue(piece.value.slice(0, left))
          left -= piece.value.length
          return
        }
        onCut()
        // Drops the socket in the middle of a response.
        await reader.cancel()
        controller.error(new TypeError('cut'))
      },
      cancel: (reason) => reader.cancel(reason),
    },
    // Nothing is read ahead, so that the error discards no passed byte.
    { highWaterMark: 0 },
  )
}
