/**
 * Headers of an event stream. `connection` is omitted: HTTP/2 forbids it, and HTTP/1.1 keeps connections alive by
 * default.
 */
export const SSE_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  // no-transform prevents proxies from compressing, which would buffer frames until a block is full.
  'cache-control': 'no-store, no-transform',
  // Disables response buffering in nginx and compatible proxies.
  'x-accel-buffering': 'no',
} as const
