import { badRequest } from '../errors/index.ts'

/** The fields of a frame; absent fields are not written. */
export interface SseFrame {
  /** Any text. CR, LF and CRLF are written as LF; a lone surrogate becomes U+FFFD in UTF-8. */
  readonly data?: string
  readonly id?: string | number
  readonly event?: string
  /** Delay before a reader reconnects. [SSE-4] */
  readonly retryMs?: number
}

const LINE_END = /\r\n|\r|\n/

/** Encodes a frame. Throws if a field could start another line. [SSE-8] */
export function encodeSse({ data, id, event, retryMs }: SseFrame): string {
  let frame = ''
  if (id !== undefined) frame += `id: ${checkField('id', String(id))}\n`
  if (event !== undefined) frame += `event: ${checkField('event', event)}\n`
  if (retryMs !== undefined) frame += `retry: ${checkRetry(retryMs)}\n`
  if (data !== undefined) frame += `data: ${data.split(LINE_END).join('\ndata: ')}\n`
  return `${frame}\n`
}

function checkField(name: string, value: string): string {
  if (!/[\r\n\0]/.test(value)) return value
  throw badRequest(
    `The ${name} of an SSE frame cannot hold CR, LF or NUL; remove them from ${JSON.stringify(value.slice(0, 80))}.`,
  )
}

function checkRetry(retryMs: number): number {
  if (Number.isSafeInteger(retryMs) && retryMs >= 0) return retryMs
  throw badRequest(`retryMs must be a whole number of milliseconds, 0 or more, not ${retryMs}.`)
}

/** Data of the last frame of a stream. [SSE-5] */
export const DONE_DATA = '[DONE]'

/** The last frame of a stream. It has no id, because it is not part of the log. [SSE-5] */
export const DONE_FRAME = 'data: [DONE]\n\n'

/** A comment that keeps proxies and readers from closing an idle stream. [SSE-3] */
export const HEARTBEAT_FRAME = ': ping\n\n'

/** Headers of an event stream. `connection` is omitted: HTTP/2 forbids it, and HTTP/1.1 keeps connections alive by default. */
export const SSE_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  // no-transform prevents proxies from compressing, which would buffer frames until a block is full.
  'cache-control': 'no-store, no-transform',
  // Disables response buffering in nginx and compatible proxies.
  'x-accel-buffering': 'no',
} as const
