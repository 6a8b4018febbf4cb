import type { IncomingMessage, ServerResponse } from 'node:http'

/** A request that has been answered, or whose client has disconnected. */
export interface ServedRequest {
  /** Sent to the client as `x-request-id`. */
  readonly id: string
  readonly method: string
  /** The path without its query, which may hold secrets. */
  readonly path: string
  readonly status: number
  /** Time until the last byte was sent; for a stream, the time it was open. */
  readonly durationMs: number
  /** Whether the client disconnected before the end of the response. */
  readonly isAborted: boolean
}

/** Reports a request when its response is over. */
export function watchRequest(
  { method = '', url = '' }: IncomingMessage,
  outgoing: ServerResponse,
  onRequest: (request: ServedRequest) => void,
): void {
  const id = crypto.randomUUID()
  const startedAt = performance.now()
  const [path = ''] = url.split('?', 1)
  outgoing.setHeader('x-request-id', id)
  outgoing.once('close', () => {
    const durationMs = performance.now() - startedAt
    const isAborted = !outgoing.writableFinished
    onRequest({ id, method, path, status: outgoing.statusCode, durationMs, isAborted })
  })
}
