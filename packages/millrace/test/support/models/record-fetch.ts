import { createExchangeRecorder, decodeRecording, type Recording } from 'millrace-tools/recordings'

type Fetch = (input: RequestInfo | URL, init?: RequestInit) => Promise<Response>

/** A `fetch` that records the responses of another one. */
export interface RecordedFetch {
  readonly fetch: Fetch
  /** The recordings of finished exchanges. */
  readonly recordings: Recording[]
}

/** Records exchanges like `millrace record`, without a socket. */
export function recordFetch(inner: Fetch): RecordedFetch {
  const recordings: Recording[] = []
  return {
    recordings,
    async fetch(input, init) {
      const request = new Request(input, init)
      const { pathname, search } = new URL(request.url)
      const headers = Object.fromEntries(request.headers)
      let file = ''
      const recorder = createExchangeRecorder({
        request: { method: request.method, path: pathname + search, headers },
        write: (line) => (file += line),
      })
      recorder.feedRequest(new Uint8Array(await request.clone().arrayBuffer()))
      const response = await inner(request)
      recorder.openResponse({
        status: response.status,
        headers: Object.fromEntries(response.headers),
      })
      const watched = response.body?.pipeThrough(
        new TransformStream<Uint8Array, Uint8Array>({
          transform(chunk, controller) {
            recorder.feedResponse(chunk)
            controller.enqueue(chunk)
          },
          flush() {
            recorder.close('complete')
            recordings.push(decodeRecording(file))
          },
        }),
      )
      return new Response(watched ?? null, response)
    },
  }
}
