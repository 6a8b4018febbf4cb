import type { IncomingMessage, ServerResponse } from 'node:http'
import { closeGently } from './close-gently.ts'
import type { RequestBody } from './request-body.ts'

/** The rest of a body that is read to keep its connection; one that may be longer costs the connection. */
const maxDrainBytes = 1_048_576
/** How long that rest may take to come. */
const drainMs = 10_000

/**
 * Prepares a connection for the request after this one, to be called before the head of a response is written. A body
 * that was not read is read and dropped once the response is sent, or the response says that the connection closes.
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

/** Returns the most bytes of a body that may still come, as far as its head tells. */
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
