import { createMessageReader, parseEvent } from 'millrace/anthropic'
import { isProviderEnd, type MessageEnd, type ModelEvent } from 'millrace/anthropic'
import { type JsonObject, createSseDecoder } from 'millrace'

/** One message as it was read, with any end. */
export interface ReadMessage {
  readonly events: readonly ModelEvent[]
  readonly end: MessageEnd
}

/** Reads messages from the events of a stream. A message that is open at the end of the stream is interrupted. */
export function readMessages(frames: Iterable<JsonObject | undefined>): ReadMessage[] {
  const messages: ReadMessage[] = []
  let reader = createMessageReader()
  let events: ModelEvent[] = []
  const add = (more: readonly ModelEvent[]): void => {
    for (const event of more) {
      events.push(event)
      if (event.type === 'message_end') messages.push({ events, end: event })
    }
  }
  for (const frame of frames) {
    const end = messages.at(-1)?.end
    if (reader.ended && isNext(frame, end)) {
      reader = createMessageReader()
      events = []
    }
    add(frame === undefined ? reader.end(unreadable) : reader.feed(frame))
  }
  add(reader.end({ outcome: 'interrupted' }))
  return messages
}

/** Reads messages from bytes, in the given chunks. */
export function readPieces(pieces: Iterable<Uint8Array>): ReadMessage[] {
  const frames: (JsonObject | undefined)[] = []
  const decoder = createSseDecoder({
    maxFrameChars: Infinity,
    onEvent: (event) => frames.push(parseEvent(event)),
  })
  for (const piece of pieces) decoder.feed(piece)
  return readMessages(frames)
}

/** A recording may contain several messages; after one that was cut, the rest is ignored. */
function isNext(frame: JsonObject | undefined, end: MessageEnd | undefined): boolean {
  return frame?.['type'] === 'message_start' && end !== undefined && isProviderEnd(end.outcome)
}

const unreadable = {
  outcome: 'failed',
  failure: { type: 'malformed_frame', message: 'A frame is not a JSON object.', retriable: true },
} as const
