import { encodeEnvelope, type Envelope } from '../../../events/index.ts'
import { createEventDecoder, DONE_FRAME, encodeSse } from '../../../sse/index.ts'

/** A reader of another format, such as those of `millrace/dialects/ai-sdk` and `millrace/dialects/ag-ui`. */
export interface ForeignReader {
  /** Returns the frames of a foreign frame. */
  read(frame: { readonly data: string }): readonly Envelope[]
  /** Returns the remaining frames after the end of the stream, complete or cut. */
  finish(): readonly Envelope[]
}

/**
 * Translates the response of a server with another format, so that a session can read it: give `createSession` a `fetch` that requests the
 * other server and translates its response. Such a stream has no ids and cannot be resumed: if it is cut, it ends with an error. A response
 * that is not an event stream is returned unchanged.
 */
export function translateResponse(response: Response, reader: ForeignReader): Response {
  const { body, status, headers } = response
  const type = headers.get('content-type') ?? ''
  if (!response.ok || body === null || !type.startsWith('text/event-stream')) return response
  return new Response(translateBody(body, reader), { status, headers: { 'content-type': type } })
}

function translateBody(
  body: ReadableStream<Uint8Array>,
  reader: ForeignReader,
): ReadableStream<Uint8Array> {
  const source = body.getReader()
  const encoder = new TextEncoder()
  let translated = ''
  const say = (envelopes: readonly Envelope[]): void => {
    for (const envelope of envelopes) translated += encodeSse({ data: encodeEnvelope(envelope) })
  }
  const decoder = createEventDecoder({ onEvent: ({ data }) => say(reader.read({ data })) })

  /** Reads a chunk; false if the stream has ended or cannot be read. */
  const readOn = async (): Promise<boolean> => {
    try {
      const { value } = await source.read()
      if (value !== undefined) decoder.feed(value)
      return value !== undefined
    } catch (error) {
      // The reader's last frames contain the error. Invalid data ends the stream.
      source.cancel(error).catch(() => {})
      return false
    }
  }

  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      let isOpen = true
      while (isOpen && translated === '') isOpen = await readOn()
      if (!isOpen) {
        say(reader.finish())
        translated += DONE_FRAME
      }
      controller.enqueue(encoder.encode(translated))
      translated = ''
      if (!isOpen) controller.close()
    },
    cancel: (reason) => source.cancel(reason),
  })
}
