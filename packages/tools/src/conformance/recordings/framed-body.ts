import { parseEvent } from 'millrace/anthropic'
import { type JsonObject, createSseDecoder } from 'millrace'

/** A body and the frames in it. */
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
