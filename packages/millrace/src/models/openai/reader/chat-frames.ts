import { type JsonObject, parseJsonObject } from '../../../json/index.ts'
import { type FrameReader, malformedFrame } from '../../stream/index.ts'
import type { ChatReader } from './chat-reader.ts'

/** Creates a reader of the frames of a chat completions stream. */
export function createFrameReader(reader: ChatReader): FrameReader {
  return {
    get ended() {
      return reader.ended
    },
    get isFinishing() {
      return reader.isFinishing
    },
    feed({ data, event }) {
      const text = data.trim()
      if (text === '') return []
      if (text === '[DONE]') return reader.finish()
      const chunk = parseJsonObject(text)
      // An event named error may hold plain text instead of JSON.
      if (event === 'error') return reader.feed(toError(chunk, text))
      return chunk === undefined ? reader.end(malformedFrame(text)) : reader.feed(chunk)
    },
    end: (cut) => reader.end(cut),
  }
}

function toError(chunk: JsonObject | undefined, text: string): JsonObject {
  if (chunk === undefined) return { error: text }
  return chunk['error'] === undefined ? { error: chunk } : chunk
}
