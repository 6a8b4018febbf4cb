import { encodeEnvelope, type Envelope } from '../../../envelope/index.ts'
import { createEventDecoder, DONE_FRAME, encodeSse } from '../../../sse/index.ts'

/** Reads another format: the readers of `millrace/dialects/ai-sdk` and `millrace/dialects/ag-ui` are such. */
export interface ForeignReader {
  /** The messages that a frame becomes. */
  read(frame: { readonly data: string }): readonly Envelope[]
  /** What is left to say when the stream has ended, or was cut. */
  finish(): readonly Envelope[]
}

/**
 * Turns the answer of a server that speaks another format into one of ours, so that a session can show it: give
 * `createSession` a `fetch` that asks the other server and translates what it answers. Such a stream has no ids, and so
 * cannot be resumed: one that is cut ends with an error. An answer that is no event stream is passed on as it is.
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

  /** Reads on; false when the other stream is over, or cannot be read any further. */
  const readOn = async (): Promise<boolean> => {
    try {
      const { value } = await source.read()
      if (value !== undefined) decoder.feed(value)
      return value !== undefined
    } catch (error) {
      // The reader says in its last words that the stream was cut; what cannot be understood is not read on.
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
