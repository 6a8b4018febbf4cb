import type { ModelEvent } from '../events/index.ts'
import type { SseEvent } from '../sse/index.ts'
import { createMessageBody, type MessageBodyOptions, type OpenBody } from './message-body.ts'
import type { MessageCut } from './message-cut.ts'

/** Turns the frames of one stream into model events. */
export interface FrameReader {
  /** True once `message_end` has been returned; whatever is fed later means nothing. */
  readonly ended: boolean
  /** True once the model has said its end and only words about the message may follow. */
  readonly isFinishing?: boolean
  feed(frame: SseEvent): ModelEvent[]
  /** Ends a message that was cut; returns nothing when it has already ended. */
  end(cut: MessageCut): ModelEvent[]
}

/** How a message is streamed. */
export interface MessageStreamOptions extends MessageBodyOptions {
  readonly idleTimeoutMs: number
}

/** How long the end of the body may lag behind the end of the message; then the connection can be used again. */
const lastReadMs = 100

/** How long words about a message may lag behind its end. */
const finishingMs = 5000

/** Makes a request and yields its message, with exactly one `message_end` as the last event. */
export async function* streamMessage(
  open: OpenBody,
  reader: FrameReader,
  { idleTimeoutMs, ...options }: MessageStreamOptions,
): AsyncGenerator<ModelEvent, void, undefined> {
  const body = createMessageBody(open, options)
  try {
    while (!reader.ended) {
      const patienceMs = reader.isFinishing === true ? finishingMs : idleTimeoutMs
      const read = await body.read(Math.min(patienceMs, idleTimeoutMs))
      if ('outcome' in read) {
        for (const event of reader.end(read)) yield event
        return
      }
      for (const frame of read) for (const event of reader.feed(frame)) yield event
    }
    const late = await body.read(lastReadMs)
    if (!('outcome' in late)) for (const frame of late) reader.feed(frame)
  } finally {
    body.close()
  }
}
