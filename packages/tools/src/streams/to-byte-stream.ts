/**
 * Converts an iterator of chunks to a body. Cancellation by the reader and abort of the request both stop the source.
 * Chunks are produced on demand; an exception of the source errors the body.
 */
export function toByteStream(
  source: (signal: AbortSignal) => AsyncIterator<Uint8Array, void, undefined>,
  requestSignal: AbortSignal,
): ReadableStream<Uint8Array> {
  const stop = new AbortController()
  const pieces = source(stop.signal)
  let onAbort = (): void => {}
  const end = (): void => {
    requestSignal.removeEventListener('abort', onAbort)
    stop.abort()
  }
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        onAbort = () => {
          end()
          controller.error(requestSignal.reason)
        }
        requestSignal.addEventListener('abort', onAbort)
        if (requestSignal.aborted) onAbort()
      },
      async pull(controller) {
        try {
          const { done, value } = await pieces.next()
          if (stop.signal.aborted) return
          if (done !== true) return controller.enqueue(value)
          end()
          controller.close()
        } catch (error) {
          end()
          controller.error(error)
        }
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  )
}
