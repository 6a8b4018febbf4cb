import { isJsonObject, type JsonObject } from '../json/index.ts'
import type { MessageCut } from './message-cut.ts'

/** Reads the data of a frame; undefined if it is no JSON object. */
export function parseFrame(data: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(data)
    return isJsonObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Why a message ends with a frame that cannot be read. */
export function malformedFrame(data: string): MessageCut {
  const message = `A frame of the model’s stream is not a JSON object: ${JSON.stringify(data.slice(0, 80))}`
  return { outcome: 'failed', failure: { type: 'malformed_frame', message, retriable: true } }
}
