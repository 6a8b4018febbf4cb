import type { ReadMessage } from './read-messages.ts'
import { parseEvent } from 'millrace/anthropic'
import { createSseDecoder, type JsonObject } from 'millrace'

/** A body and its frames. */
export interface FramedBody {
  readonly bytes: Uint8Array
  /** The event of each frame; undefined if a frame is not a JSON object. */
  readonly frames: readonly (JsonObject | undefined)[]
  /** For each frame, the number of bytes of the body up to its end. */
  readonly ends: readonly number[]
}

/** Reads a body byte by byte, so that the end of each frame is known. */
export function frameBody(bytes: Uint8Array): FramedBody {
  const frames: (JsonObject | undefined)[] = []
  const ends: number[] = []
  const decoder = createSseDecoder({
    maxFrameChars: Infinity,
    onEvent: (event) => frames.push(parseEvent(event)),
  })
  for (let at = 0; at < bytes.length; at++) {
    decoder.feed(bytes.subarray(at, at + 1))
    if (frames.length > ends.length) ends.push(at + 1)
  }
  return { bytes, frames, ends }
}

/** A recorded response of the Messages API, with the result of the official SDK. */
export interface Recording {
  readonly name: string
  /** The body as server-sent events; its last frame has an end unless the recording itself was cut. */
  readonly body: Uint8Array
  readonly golden: Golden | undefined
}

/** The result of the official SDK for a recording. */
export interface Golden {
  readonly ok: boolean
  /** One for each message of the recording. */
  readonly messages: readonly JsonObject[]
  /** The error of the SDK without a message. */
  readonly error: string
}

/** A recording with its frames and messages. */
export interface CheckedRecording extends Recording, FramedBody {
  /** Its messages, decoded from the whole body. */
  readonly messages: readonly ReadMessage[]
}

interface CheckResult {
  readonly cases: number
  readonly faults: readonly string[]
}

/** One rule for every recording. */
export interface RecordingCheck {
  readonly name: string
  run(recording: CheckedRecording): CheckResult | Promise<CheckResult>
}

/** Maximum size of a body that is cut at every byte. */
export const EVERY_BYTE_LIMIT = 1024 * 1024

/** Returns at most `most` of `count` places, evenly spread, including the first and the last. */
export function spread(count: number, most: number): number[] {
  if (count <= most) return Array.from({ length: count }, (_, place) => place)
  const step = (count - 1) / (most - 1)
  return Array.from({ length: most }, (_, place) => Math.round(place * step))
}
