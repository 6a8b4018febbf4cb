import type { IncomingMessage, ServerResponse } from 'node:http'

/** A request that has been answered, or whose client has left. */
export interface ServedRequest {
  /** Sent to the client as `x-request-id`. */
  readonly id: string
  readonly method: string
  /** Without its query, which may hold what nobody else should see. */
  readonly path: string
  readonly status: number
  /** Until the last byte was sent: for a stream, as long as it was open. */
  readonly durationMs: number
  /** Whether the client left before it had all. */
  readonly isAborted: boolean
}

/** Tells of a request when its response is over. */
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
