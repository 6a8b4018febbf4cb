/**
 * The headers of an event stream. `connection` is left out: HTTP/2 forbids it and HTTP/1.1 keeps alive anyway.
 */
export const SSE_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  // no-transform keeps proxies from compressing, which holds frames back until a block is full.
  'cache-control': 'no-store, no-transform',
  // nginx and those who follow it collect a response before they pass it on, unless told not to.
  'x-accel-buffering': 'no',
} as const
