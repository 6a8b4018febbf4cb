import type { IncomingMessage, ServerResponse } from 'node:http'
import { closeGently } from './connections.ts'

/** The body of a request, and a function that discards it. */
export interface RequestBody {
  readonly stream: ReadableStream<Uint8Array>
  /** Reads and drops the rest, so that the next request on the connection can be read. */
  readonly discard: () => void
}

/**
 * Creates the body of a request. Cancelling the stream only stops reading; Node's own streams would also destroy the
 * socket, and with it the response.
 */
export function createRequestBody(incoming: IncomingMessage): RequestBody {
  let stop = (): void => {}
  const stream = new ReadableStream<Uint8Array>({
    pull: (controller) =>
      new Promise((resolve) => {
        stop = readNext(incoming, controller, resolve)
      }),
    cancel: () => stop(),
  })
  const discard = (): void => {
    stop()
    incoming.resume()
  }
  return { stream, discard }
}

/** Waits for the next chunk, which stays in the socket until then; returns a function that stops the wait. */
function readNext(
  incoming: IncomingMessage,
  controller: ReadableStreamDefaultController<Uint8Array>,
  onRead: () => void,
): () => void {
  const settle = (act: () => void): void => {
    stop()
    act()
    onRead()
  }
  const onData = (chunk: Uint8Array): void => {
    incoming.pause()
    settle(() => controller.enqueue(chunk))
  }
  const onEnd = (): void => settle(() => controller.close())
  const onError = (error: unknown): void => settle(() => controller.error(error))
  const onClose = (): void => onError(new Error('The connection failed.'))
  const stop = (): void => {
    incoming.off('data', onData).off('end', onEnd).off('error', onError).off('close', onClose)
  }
  if (incoming.readableEnded) {
    onEnd()
  } else if (incoming.destroyed) {
    onClose()
  } else {
    incoming.on('data', onData).on('end', onEnd).on('error', onError).on('close', onClose)
    incoming.resume()
  }
  return stop
}

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
