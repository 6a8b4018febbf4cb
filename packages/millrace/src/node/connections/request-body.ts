import type { IncomingMessage } from 'node:http'

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
