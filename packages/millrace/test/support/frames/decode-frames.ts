import { type Envelope, createDecoder, type StreamEvent } from '../../../src/events/index.ts'

/** Decodes the frames of one log; undefined represents a frame that completes no event. */
export function decodeFrames(frames: readonly Envelope[]): readonly (StreamEvent | undefined)[] {
  const decoder = createDecoder()
  return frames.map((frame) => decoder.decodeFrame(frame))
}
