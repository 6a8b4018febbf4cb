import type { ModelEvent } from '../../events/index.ts'
import type { SseEvent } from '../../sse/index.ts'
import {
  createMessageBody,
  type MessageBodyOptions,
  type MessageCut,
  type OpenBody,
} from './message-body.ts'

/** Converts the frames of one stream to model events. */
export interface FrameReader {
  /** True after `message_end` was returned. Further frames have no effect. */
  readonly ended: boolean
  /** True after the model's end, when only metadata may follow. */
  readonly isFinishing?: boolean
  feed(frame: SseEvent): ModelEvent[]
  /** Ends an interrupted message. Returns no events if it has already ended. */
  end(cut: MessageCut): ModelEvent[]
}

/** Options of {@link streamMessage}. */
export interface MessageStreamOptions extends MessageBodyOptions {
  readonly idleTimeoutMs: number
}

/** Maximum delay of the end of the body after the end of the message. It allows reuse of the connection. */
const lastReadMs = 100

/** Maximum delay of metadata after the end of a message. */
const finishingMs = 5000

/** Sends a request and yields its message. The last event is exactly one `message_end`. */
export async function* streamMessage(
  open: OpenBody,
  reader: FrameReader,
  { idleTimeoutMs, ...options }: MessageStreamOptions,
): AsyncGenerator<ModelEvent, void, undefined> {
  const body = createMessageBody(open, options)
  try {
    while (!reader.ended) {
      const timeoutMs = reader.isFinishing === true ? finishingMs : idleTimeoutMs
      const read = await body.read(Math.min(timeoutMs, idleTimeoutMs))
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
