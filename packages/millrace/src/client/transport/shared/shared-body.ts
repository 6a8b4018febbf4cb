import { createEventDecoder, DONE_DATA } from '../../../sse/index.ts'
import type { Frame } from '../../session.ts'
import type { Lead } from './tab-channel.ts'
import type { TabInbox } from './tab-inbox.ts'

/** Position of a session in the log. */
export interface Place {
  /** The last id that it received. */
  lastId: number
}

interface ReadPiece {
  readonly piece: Uint8Array
  readonly frames: readonly Frame[]
}

// Marked as pure, so that bundles of pages without shared connections omit it.
const encoder = /* @__PURE__ */ new TextEncoder()

/** Reads a body to its end. */
export async function* readPieces(
  body: ReadableStream<Uint8Array>,
): AsyncGenerator<ReadPiece, void> {
  let frames: Frame[] = []
  const decoder = createEventDecoder({
    onEvent: ({ id, data }) => frames.push({ id: id ? Number(id) : undefined, data }),
  })
  const reader = body.getReader()
  try {
    for (;;) {
      const { value: piece } = await reader.read()
      if (!piece) return
      decoder.feed(piece)
      yield { piece, frames }
      frames = []
    }
  } finally {
    reader.cancel().catch(() => {})
  }
}

/** Passes a body through and broadcasts it to other tabs. */
export async function* leadBody(
  body: ReadableStream<Uint8Array>,
  place: Place,
  inbox: TabInbox,
  { lost, end }: Lead,
): AsyncGenerator<Uint8Array, void> {
  inbox.ownPosition = () => place.lastId
  try {
    for await (const { piece, frames } of readPieces(body)) {
      lost.throwIfAborted()
      const first = frames.find(({ id }) => id !== undefined)?.id ?? 1
      // The response to a prompt begins at the tail of the log at that time.
      const after = place.lastId || first - 1
      for (const { id } of frames) place.lastId = id ?? place.lastId
      inbox.broadcast(after, frames)
      yield piece
    }
  } finally {
    inbox.ownPosition = undefined
    end()
  }
}

/** Encodes the frames that a session does not have yet; without any, a heartbeat. */
export function encodeNew(frames: readonly Frame[], place: Place): Uint8Array {
  let text = ':\n\n'
  for (const { id = 0, data } of frames) {
    if (id <= place.lastId) continue
    place.lastId = id
    text += `id: ${id}\ndata: ${data}\n\n`
  }
  return encoder.encode(text)
}

/** Encodes the end of a stream. */
export function encodeEnd(): Uint8Array {
  return encoder.encode(`data: ${DONE_DATA}\n\n`)
}

/** Whether the last frame ends the stream. */
export function hasEnd(frames: readonly Frame[]): boolean {
  return frames.at(-1)?.data === DONE_DATA
}

/** Creates a response from pieces. Cancelling its body aborts the request of the pieces. */
export function toResponse(
  pieces: AsyncGenerator<Uint8Array, void>,
  request: AbortController,
  headers?: Headers,
): Response {
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { value, done } = await pieces.next()
        if (!done) return controller.enqueue(value)
        controller.close()
        request.abort()
      },
      async cancel() {
        request.abort()
        await pieces.return(undefined)
      },
    },
    { highWaterMark: 0 }, // reads nothing, and takes no lead, before the first pull
  )
  return new Response(body, { headers: headers ?? { 'content-type': 'text/event-stream' } })
}
