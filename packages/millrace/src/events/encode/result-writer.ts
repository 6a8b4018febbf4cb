import { encodeEnvelope } from '../envelope/encode.ts'
import type { ResultImage, ToolResult } from '../agent-event.ts'
import type { FrameSink } from './frame-sink.ts'

/** Stores an image and returns its URL. */
export type ImageUrl = (image: ResultImage, result: ToolResult) => string

/** Writes the result of a tool; its images come between its text and its end. [LIFE-4] */
export function writeToolResult(
  sink: FrameSink<unknown>,
  result: ToolResult,
  imageUrl: ImageUrl | undefined,
): void {
  const { agent, callId: id, name, text, images, isError } = result
  const extras = isError ? { id, name, is_error: true } : { id, name }
  sink.put({ type: 'tool_result', agent, payload: text, extras, final: images.length === 0 })
  if (images.length === 0) return
  for (const image of images) {
    const mustMove = imageUrl !== undefined && isTooLarge(image, result, sink.maxBytes)
    const src = mustMove ? imageUrl(image, result) : image.src
    const fields = { id, name, src, media_type: image.mediaType }
    sink.put({ type: 'tool_result_image', agent, payload: '', extras: fields, final: false })
  }
  sink.put({ type: 'tool_result', agent, payload: '', extras })
}

/** Checks for image data that does not fit into one frame and is stored elsewhere if possible. [CHUNK-7] */
function isTooLarge(
  { src, mediaType }: ResultImage,
  result: ToolResult,
  maxBytes: number,
): boolean {
  if (!src.startsWith('data:')) return false
  if (src.length > maxBytes) return true
  const { agent, callId: id, name } = result
  const message = { type: 'tool_result_image', agent, final: false, delta: '' }
  return encodeEnvelope({ ...message, id, name, src, media_type: mediaType }).length > maxBytes
}
