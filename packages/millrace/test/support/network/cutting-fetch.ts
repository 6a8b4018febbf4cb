import type { FetchFunction } from '../../../src/client/session.ts'

/** A `fetch` whose responses are interrupted. */
export interface CuttingFetch {
  readonly fetch: FetchFunction
  /** The method and path of each request. */
  readonly requests: readonly string[]
}

/** Creates a real `fetch` that cuts its first responses after this many bytes each; later ones are complete. */
export function createCuttingFetch(cuts: readonly number[]): CuttingFetch {
  const requests: string[] = []
  return {
    requests,
    fetch: async (url, init) => {
      const cut = cuts[requests.length]
      requests.push(`${init.method ?? 'GET'} ${new URL(url).pathname}`)
      const response = await fetch(url, init)
      if (cut === undefined || !response.body || !response.ok) return response
      return new Response(response.body.pipeThrough(cutAfter(cut)), response)
    },
  }
}

function cutAfter(bytes: number): TransformStream<Uint8Array, Uint8Array> {
  let left = bytes
  return new TransformStream({
    transform(chunk, controller) {
      if (left > 0) controller.enqueue(chunk.slice(0, left))
      left -= chunk.length
      if (left <= 0) controller.error(new TypeError('cut'))
    },
  })
}
