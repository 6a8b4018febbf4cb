/** A `fetch` whose answers break off, each at a byte of its own. */
export interface CuttingFetch {
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>
  /** How many answers were cut; one that is shorter than its cut is left whole. */
  readonly cuts: () => number
}

/** Creates a real `fetch` that lets so many bytes of its first answers through and then drops the connection. */
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
        // Drops the socket, which is in the middle of an answer.
        await reader.cancel()
        controller.error(new TypeError('cut'))
      },
      cancel: (reason) => reader.cancel(reason),
    },
    // Nothing is read ahead, so that no byte of what was let through is lost with the error.
    { highWaterMark: 0 },
  )
}
