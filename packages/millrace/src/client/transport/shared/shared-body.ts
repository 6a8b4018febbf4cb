import { createEventDecoder, DONE_DATA } from '../../../sse/index.ts'
import type { Frame } from '../../session.ts'
import type { Lead } from './lead.ts'
import type { TabInbox } from './tab-inbox.ts'

/** Where a session stands in the log. */
export interface Place {
  /** The last id that it was given. */
  lastId: number
}

/** A piece of a body with the frames that it has completed. */
interface ReadPiece {
  readonly piece: Uint8Array
  readonly frames: readonly Frame[]
}

// Marked, so that bundles of pages that share no connection leave it out.
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

/** Gives a body on as it is, and tells the other tabs what is in it. */
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
      // The answer to a prompt begins where the log was when that came.
      const after = place.lastId || first - 1
      for (const { id } of frames) place.lastId = id ?? place.lastId
      inbox.tell(after, frames)
      yield piece
    }
  } finally {
    inbox.ownPosition = undefined
    end()
  }
}

/** The frames that a session does not have yet, as a body has them; with nothing in them, a sign of life. */
export function encodeNew(frames: readonly Frame[], place: Place): Uint8Array {
  let text = ':\n\n'
  for (const { id = 0, data } of frames) {
    if (id <= place.lastId) continue
    place.lastId = id
    text += `id: ${id}\ndata: ${data}\n\n`
  }
  return encoder.encode(text)
}

/** Gives the end of a stream, as a body has it. */
export function encodeEnd(): Uint8Array {
  return encoder.encode(`data: ${DONE_DATA}\n\n`)
}

/** Tells whether frames end with the end of their stream. */
export function hasEnd(frames: readonly Frame[]): boolean {
  return frames.at(-1)?.data === DONE_DATA
}

/** A response made of pieces; letting go of its body ends the request that they come from. */
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
    { highWaterMark: 0 }, // nothing is read, and no lead taken, before someone wants it
  )
  return new Response(body, { headers: headers ?? { 'content-type': 'text/event-stream' } })
}
