import type { IncomingMessage, ServerResponse } from 'node:http'
import { closeGently } from './close-gently.ts'
import type { RequestBody } from './request-body.ts'

/** Maximum number of unread bytes of a body that are read and dropped to keep the connection; more close it. */
const maxDrainBytes = 1_048_576
/** Timeout for reading them. */
const drainMs = 10_000

/**
 * Prepares a connection for its next request. Must be called before the head of a response is written. An unread body
 * is read and dropped after the response, or the response closes the connection.
 */
export function settleBody(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  body: RequestBody | undefined,
): void {
  const unread = unreadBytes(incoming)
  if (unread === 0 && incoming.readableEnded) return
  if (unread > maxDrainBytes) outgoing.setHeader('connection', 'close')
  outgoing.once('finish', () => {
    if (body === undefined) incoming.resume()
    else body.discard()
    if (!incoming.complete) closeInTime(incoming)
  })
}

/** Returns the remaining bytes of a body, according to the headers of the request. */
function unreadBytes({ complete, headers }: IncomingMessage): number {
  if (complete) return 0
  if (headers['transfer-encoding'] !== undefined) return Infinity
  return Number(headers['content-length'] ?? 0)
}

function closeInTime(incoming: IncomingMessage): void {
  const timer = setTimeout(() => closeGently(incoming.socket), drainMs).unref()
  const clear = (): void => clearTimeout(timer)
  incoming.once('end', clear).once('close', clear)
}
