import type { ConnectionGuard } from './connection-guard.ts'

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>

const LINE_FEED = 10
const CARRIAGE_RETURN = 13

/**
 * Creates a `fetch` that closes the connection when a response, or one event of a stream, exceeds the limit. It does
 * not follow redirects: a server could redirect requests and their headers to a private network.
 */
export function createBoundedFetch(guard: ConnectionGuard, fetch: Fetch = globalThis.fetch): Fetch {
  const { maxMessageBytes } = guard.limits
  return async (url, init) => {
    const response = await fetch(url, { ...init, redirect: 'manual' })
    const { body, status, statusText, headers } = response
    const isRedirect = status >= 300 && status < 400
    if (body === null || isRedirect) return response
    const isStream = headers.get('content-type')?.startsWith('text/event-stream') === true
    const count = isStream ? createEventCounter() : createByteCounter()
    const bounded = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        if (count(chunk) > maxMessageBytes) {
          guard.fail(`sent a message of more than ${maxMessageBytes} bytes`)
          controller.error(guard.failure)
        } else controller.enqueue(chunk)
      },
    })
    return new Response(body.pipeThrough(bounded), { status, statusText, headers })
  }
}

function createByteCounter(): (chunk: Uint8Array) => number {
  let total = 0
  return (chunk) => (total += chunk.length)
}

/** Counts the bytes of the longest event in or across a chunk. */
function createEventCounter(): (chunk: Uint8Array) => number {
  let inEvent = 0
  let isLineEmpty = true
  return (chunk) => {
    let longest = inEvent
    for (const byte of chunk) {
      inEvent++
      if (byte === LINE_FEED && isLineEmpty) inEvent = 0
      if (byte !== CARRIAGE_RETURN) isLineEmpty = byte === LINE_FEED
      if (inEvent > longest) longest = inEvent
    }
    return longest
  }
}
