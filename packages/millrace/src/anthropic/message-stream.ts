import type { ModelEvent } from '../events/index.ts'
import { isJsonObject, type JsonObject } from '../json/index.ts'
import type { SseEvent } from '../sse/index.ts'
import { createMessageBody, type OpenBody } from './message-body.ts'
import { createMessageReader, type MessageReader } from './message-reader.ts'

/** How a message is streamed. */
export interface MessageStreamOptions {
  readonly signal: AbortSignal | undefined
  readonly idleTimeoutMs: number
  readonly maxFrameChars: number
}

/** How long the end of the body may lag behind `message_stop`; then the connection can be used again. */
const lastReadMs = 100

/** Makes a request and yields its message, with exactly one `message_end` as the last event. */
export async function* streamMessage(
  open: OpenBody,
  { signal, idleTimeoutMs, maxFrameChars }: MessageStreamOptions,
): AsyncGenerator<ModelEvent, void, undefined> {
  const reader = createMessageReader()
  const body = createMessageBody(open, { signal, maxFrameChars })
  try {
    while (!reader.ended) {
      const read = await body.read(idleTimeoutMs)
      if ('outcome' in read) {
        for (const event of reader.end(read)) yield event
        return
      }
      for (const frame of read) for (const event of feedFrame(reader, frame)) yield event
    }
    await body.read(lastReadMs)
  } finally {
    body.close()
  }
}

function feedFrame(reader: MessageReader, { data, event }: SseEvent): ModelEvent[] {
  if (reader.ended) return []
  const value = parseFrame(data)
  if (value === undefined) return reader.end({ outcome: 'failed', failure: malformed(data) })
  if (value['type'] === undefined && event !== undefined)
    return reader.feed({ ...value, type: event })
  return reader.feed(value)
}

function parseFrame(data: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(data)
    return isJsonObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

function malformed(data: string) {
  const message = `A frame of the model’s stream is not a JSON object: ${JSON.stringify(data.slice(0, 80))}`
  return { type: 'malformed_frame', message, retriable: true }
}
